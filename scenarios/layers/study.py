#!/usr/bin/env python3
"""Layers and 1Dx1D-L over unequal nodes against the 2D maps.

    scenarios/layers/study.py PROGRAM [--cluster NAME]... [--nt N]... [--network NAME]... [--policy NAME]... [--trials T] [--replicas R]

For each cluster, network, policy and size: the 2D map (block-cyclic, g-2dbc, 1d1d, 1d1d-c, 1d1d-c+s), 1d1d-l, 1d1d-c on the fastest nodes
alone, and two or three layers (number of the fastest nodes dealt to them, iterations in a row), where all but 1d1d-l are those with the
smallest mean makespan of T runs with noise. These again with other seeds, the same for all: means, the ratio of the makespans over that of
the 2D map, and the 95 % prediction interval of the ratio of one further pair of runs. Prints one line a case. What was run is kept in the
file of --results (results/layers/study.jsonl) and not run again.
"""
import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from kept_results import KeptResults  # noqa: E402
from ratio_figure import draw  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lille(chifflet, chetemi):
    return {"platform": {"file": "lille", "nodes": [{"type": "chifflet", "count": chifflet}, {"type": "chetemi", "count": chetemi}]},
            "application": {"type": "lu", "nb": 960, "variant": "chameleon"},
            "runtime": {"pinning_cost_s": 0, "gpu_pipeline": 4, "communication_cores": 0}}


def merged(names, counts, application):
    return {"platform": {"merge": names,
                         "nodes": [{"type": name, "count": count} for name, count in zip(names, counts)]},
            "application": application, "runtime": {}}


CLUSTERS = {
    "22": lille(8, 14),
    "46": lille(16, 30),
    "today": merged(["h100x4", "a100x4", "xeon-8480"], [4, 4, 8], {"type": "lu", "nb": 2048, "variant": "chameleon"}),
    # of guide/machines_of_today.md
    "mix": merged(["h100x4", "a100x4", "sirocco-v100", "xeon-8480"], [1, 1, 2, 4], {"type": "cholesky", "nb": 1600}),
}
NETWORKS = {"1g": {"preset": "ethernet-1g"}, "10g": {"preset": "ethernet-10g"}, "hdr": {"preset": "infiniband-hdr"}}
# Executions within 10 % of their mean, workers with a deviation of 3 % of a run: none of the estimated timings has one.
NOISE = {"duration_precision": 0.1, "worker_speed_deviation": 0.03}
T_QUANTILES = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}  # of Student, 97.5 %, by the number of runs
TWO_D = [{"type": name} for name in ("block-cyclic", "g-2dbc", "1d1d", "1d1d-c", "1d1d-c+s")]


def node_counts(cluster):
    """Numbers of the fastest nodes: all, halves and quarters of all and so on, and whole types. The first type is the fastest."""
    of_types = list(itertools.accumulate(group["count"] for group in cluster["platform"]["nodes"]))
    counts, n = set(of_types), of_types[-1]
    while n > 0:
        counts.add(n)
        n //= 2
    return sorted(counts, reverse=True)


def layers_of(cluster, numbers):
    """Choices of so many layers of 1d1d-c, each with a name that says what it is: the fastest nodes are dealt to them in turn."""
    for count, layers in itertools.product(node_counts(cluster), numbers):
        if layers > count:
            continue
        for consecutive in (1, 2) if layers > 1 else (1,):
            name = (f"{count} nodes" if count > 1 else "1 node") if layers == 1 else f"{layers} of {count} nodes"
            yield (name + (", 2 in a row" if consecutive == 2 else ""),
                   {"type": "layers", "layers": layers, "layer": {"type": "1d1d-c"}, "consecutive": consecutive,
                    "nodes": [list(range(layer, count, layers)) for layer in range(layers)]})


class Simulator:
    def __init__(self, program, case, nt, network, policy, results):
        self.program, self.results = program, results
        self.scenario = {"format": "factosim-scenario", "version": 1, **json.loads(json.dumps(case)), "scheduler": {"type": policy},
                         "network": {"model": "maxmin"}}
        self.scenario["platform"]["network"] = NETWORKS[network]
        self.scenario["application"]["nt"] = nt

    def run(self, distribution, seed, replicas):
        """Returns the makespans of runs with consecutive seeds."""
        scenario = {**self.scenario, "distribution": distribution, "noise": NOISE, "seed": seed}
        return self.results.of(scenario, replicas, lambda: self._run(scenario, replicas))

    def _run(self, scenario, replicas):
        answer = subprocess.run([self.program, "run", "/dev/stdin", "--json", "--jobs", "1", "--replicas", str(replicas)],
                                input=json.dumps(scenario), capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        return json.loads(answer.stdout)["replicas"]["makespan_s"]["values"]

    def best(self, choices, trials):
        """Returns the name and the distribution of the choice with the smallest mean makespan."""
        return min(choices, key=lambda choice: statistics.mean(self.run(choice[1], seed=1, replicas=trials)))


def ratio_interval(one, other):
    """The mean of other / one over pairs of runs, and the 95 % prediction interval of one further pair."""
    ratios = [b / a for a, b in zip(one, other)]
    mean = statistics.mean(ratios)
    half = T_QUANTILES[len(ratios)] * statistics.stdev(ratios) * (1 + 1 / len(ratios)) ** 0.5
    return mean, mean - half, mean + half


def interval_text(ratio):
    return "{:.3f} ({:.3f} to {:.3f})".format(*ratio)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for name, known in (("cluster", list(CLUSTERS)), ("network", list(NETWORKS)), ("policy", None)):
        parser.add_argument(f"--{name}", action="append", choices=known, default=[])
    parser.add_argument("--nt", action="append", type=int, default=[])
    parser.add_argument("--trials", type=int, default=3, help="runs that choose a map")
    parser.add_argument("--replicas", type=int, default=5, choices=sorted(T_QUANTILES), help="runs that compare")
    parser.add_argument("--no-layers", action="store_true")
    parser.add_argument("--no-selection", action="store_true", help="without 1d1d-l")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results/layers/study.jsonl")
    parser.add_argument("--figure", type=pathlib.Path, help="SVG of the ratios")
    a = parser.parse_args()
    results, rows = KeptResults(a.results), []
    series = [name for name, left_out in (("1Dx1D-L", a.no_selection), ("1Dx1D-C, fastest nodes", a.no_layers), ("layers", a.no_layers)) if not left_out]
    print("| cluster | network | policy | N | best 2D map | s |" + "".join(f" {name} | s | ratio (95 %) |" for name in series)
          + "\n" + "|---" * (6 + 3 * len(series)) + "|")
    for cluster, network, policy, nt in itertools.product(a.cluster or list(CLUSTERS), a.network or list(NETWORKS), a.policy or ["dmdas", "prio"],
                                                          a.nt or [25, 50]):
        simulator = Simulator(a.program, CLUSTERS[cluster], nt, network, policy, results)
        name, distribution = simulator.best([(d["type"], d) for d in TWO_D], a.trials)
        of_2d = simulator.run(distribution, seed=101, replicas=a.replicas)
        line, points = f"| {cluster} | {network} | {policy} | {nt} | {name} | {statistics.mean(of_2d):.3f} |", []
        given = {"1Dx1D-L": [("all nodes", {"type": "1d1d-l"})], "1Dx1D-C, fastest nodes": list(layers_of(CLUSTERS[cluster], [1])),
                 "layers": list(layers_of(CLUSTERS[cluster], [2, 3]))}
        for one in series:
            name, distribution = simulator.best(given[one], a.trials) if len(given[one]) > 1 else given[one][0]
            makespans = simulator.run(distribution, seed=101, replicas=a.replicas)
            points.append(ratio_interval(of_2d, makespans))
            line += f" {name} | {statistics.mean(makespans):.3f} | {interval_text(points[-1])} |"
        print(line, flush=True)
        rows.append((f"{cluster}, {network}, {policy}, N = {nt}", points))
    if a.figure:
        draw(a.figure, "makespan over that of the best 2D map, 95 % prediction intervals", series, rows)


if __name__ == "__main__":
    main()
