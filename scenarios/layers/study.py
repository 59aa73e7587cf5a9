#!/usr/bin/env python3
"""Layers over unequal nodes against all maps of one layer.

    scenarios/layers/study.py PROGRAM [--cluster NAME]... [--nt N]... [--network NAME]... [--policy NAME]... [--replicas R]

For each cluster, network, policy and size: the map of one layer (block-cyclic, g-2dbc, 1d1d, 1d1d-c, 1d1d-c+s) and the choice of layers
(number, nodes of each, map of a layer, iterations in a row) with the smallest mean makespan of three runs with noise, and
these two again with other seeds, the same for both: means, the ratio of the makespans (layers over one layer) and the 95 % prediction
interval of the ratio of one further pair of runs. Prints one line a case, and adds all means to results/layers/study.csv.
"""
import argparse
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "results/layers"
PLATFORMS = ROOT / "platforms"


def lille(chifflet, chetemi):
    return {"platform": {"file": str(PLATFORMS / "lille.json"), "nodes": [{"type": "chifflet", "count": chifflet}, {"type": "chetemi", "count": chetemi}]},
            "application": {"type": "lu", "nb": 960, "variant": "chameleon"},
            "runtime": {"pinning_cost_s": 0, "gpu_pipeline": 4, "communication_cores": 0}}


CLUSTERS = {
    "22": lille(8, 14),
    "46": lille(16, 30),
    "today": {"platform": {"merge": [str(PLATFORMS / f"{name}.json") for name in ("a100x4", "h100x4", "xeon-8480")],
                           "nodes": [{"type": "h100x4", "count": 4}, {"type": "a100x4", "count": 4}, {"type": "xeon-8480", "count": 8}]},
              "application": {"type": "lu", "nb": 2048, "variant": "chameleon"}, "runtime": {}},
}
NETWORKS = {"1g": {"preset": "ethernet-1g"}, "10g": {"preset": "ethernet-10g"}, "hdr": {"preset": "infiniband-hdr"}}
# Executions within 10 % of their mean, workers with a deviation of 3 % of a run: none of the estimated timings has one.
NOISE = {"duration_precision": 0.1, "worker_speed_deviation": 0.03}
T_QUANTILES = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}  # of Student, 97.5 %, by the number of runs
ONE_LAYER = [{"type": name} for name in ("block-cyclic", "g-2dbc", "1d1d", "1d1d-c", "1d1d-c+s")]


def by_type(cluster):
    """Nodes of the types in order: the first type is the fastest."""
    first, out = 0, []
    for group in cluster["platform"]["nodes"]:
        out.append(list(range(first, first + group["count"])))
        first += group["count"]
    return out


def choices(cluster):
    """Choices of layers, each with a name that says what it is."""
    types = by_type(cluster)
    fast, slow = types[0], [node for group in types[1:] for node in group]
    for count, layer, consecutive in itertools.product((2, 3), ("1d1d", "1d1d-c"), (1, 2)):
        yield f"{count} dealt, {layer}, {consecutive} in a row", {"type": "layers", "layers": count, "layer": {"type": layer}, "consecutive": consecutive}
    for layer in ("1d1d", "1d1d-c"):
        yield f"fast and slow, {layer}", {"type": "layers", "layers": 2, "layer": {"type": layer}, "nodes": [fast, slow]}


class Simulator:
    def __init__(self, program, case, nt, network, policy):
        self.program = program
        self.scenario = {"format": "factosim-scenario", "version": 1, **json.loads(json.dumps(case)), "scheduler": {"type": policy},
                         "network": {"model": "maxmin"}}
        self.scenario["platform"]["network"] = NETWORKS[network]
        self.scenario["application"]["nt"] = nt

    def run(self, distribution, seed, replicas):
        """Returns the makespans of runs with consecutive seeds."""
        scenario = {**self.scenario, "distribution": distribution, "noise": NOISE, "seed": seed}
        options = ["--replicas", str(replicas)]
        answer = subprocess.run([self.program, "run", "/dev/stdin", "--json", "--jobs", "1", *options], input=json.dumps(scenario), capture_output=True, text=True)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        return json.loads(answer.stdout)["replicas"]["makespan_s"]["values"]


def ratio_interval(one, other):
    """The mean of other / one over pairs of runs, and the 95 % prediction interval of one further pair."""
    ratios = [b / a for a, b in zip(one, other)]
    mean = statistics.mean(ratios)
    half = T_QUANTILES[len(ratios)] * statistics.stdev(ratios) * (1 + 1 / len(ratios)) ** 0.5
    return mean, mean - half, mean + half


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for name, known in (("cluster", list(CLUSTERS)), ("network", list(NETWORKS)), ("policy", ["dmdas", "prio"])):
        parser.add_argument(f"--{name}", action="append", choices=known if name != "policy" else None, default=[])
    parser.add_argument("--nt", action="append", type=int, default=[])
    parser.add_argument("--replicas", type=int, default=5, choices=sorted(T_QUANTILES))
    parser.add_argument("--all", action="store_true", help="print each choice")
    a = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / "study.csv", "a", newline="") as file:
        table = csv.writer(file)
        print("| cluster | network | policy | N | one layer | s | layers | s | ratio | 95 % |\n|---|---|---|---|---|---|---|---|---|---|")
        for cluster, network, policy, nt in itertools.product(a.cluster or list(CLUSTERS), a.network or list(NETWORKS), a.policy or ["dmdas", "prio"],
                                                              a.nt or [25, 50]):
            simulator = Simulator(a.program, CLUSTERS[cluster], nt, network, policy)
            found = {}
            for kind, given in (("one", [(d["type"], d) for d in ONE_LAYER]), ("layers", choices(CLUSTERS[cluster]))):
                for name, distribution in given:
                    makespan = statistics.mean(simulator.run(distribution, seed=1, replicas=3))
                    table.writerow([cluster, network, policy, nt, kind, name, makespan])
                    if a.all:
                        print(f"{makespan:9.4f}  {kind:6}  {name}")
                    if kind not in found or makespan < found[kind][0]:
                        found[kind] = (makespan, name, distribution)
            (_, one, one_map), (_, layers, layers_map) = found["one"], found["layers"]
            one_s, layers_s = (simulator.run(found[kind][2], seed=101, replicas=a.replicas) for kind in ("one", "layers"))
            mean, low, high = ratio_interval(one_s, layers_s)
            print(f"| {cluster} | {network} | {policy} | {nt} | {one} | {statistics.mean(one_s):.3f} | {layers} | {statistics.mean(layers_s):.3f} |"
                  f" {mean:.3f} | {low:.3f} to {high:.3f} |", flush=True)


if __name__ == "__main__":
    main()
