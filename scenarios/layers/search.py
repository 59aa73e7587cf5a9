#!/usr/bin/env python3
"""Searches with the same number of simulations over one layer and over layers of nodes.

    scenarios/layers/search.py PROGRAM [--cluster NAME]... [--network NAME]... [--policy NAME]... [--nt N]... [--evaluations 300]

For each cluster, network, policy and size: the best 2D map of study.py, and what `distribute --evaluations` finds from it (maps of one
layer) and from two layers (layers, their nodes, maps, iterations in a row). Searched without noise; then the means of five runs with noise,
and the ratios over the 2D map with the 95 % prediction interval of one further pair. What was run is kept in the file of --results.
"""
import argparse
import hashlib
import itertools
import json
import pathlib
import statistics
import subprocess
import sys

from study import CLUSTERS, NETWORKS, ROOT, TWO_D, Simulator, interval_text, ratio_interval

sys.path.insert(0, str(ROOT / "scenarios"))
from kept_results import KeptResults  # noqa: E402


class Searcher(Simulator):
    def found(self, distribution, evaluations):
        """Returns the makespan of what is found from the distribution, and a distribution that has it."""
        scenario = {**self.scenario, "distribution": distribution}
        return self.results.of(scenario, f"search {evaluations}", lambda: self._found(scenario, evaluations))

    def _found(self, scenario, evaluations):
        command = [self.program, "distribute", "/dev/stdin", "--json", "-q", "--evaluations", str(evaluations)]
        distribution = scenario["distribution"]  # remains the best if layers have none to print
        if distribution["type"] != "layers":
            name = hashlib.sha256(json.dumps([scenario, evaluations]).encode()).hexdigest()[:16]
            distribution = {"type": "file", "file": str(self.results.file.with_name(f"map_{name}.txt").resolve())}
            command += ["--chameleon", distribution["file"], "--force"]
        answer = subprocess.run(command, input=json.dumps(scenario), capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        found = json.loads(answer.stdout)
        search = {"distribution": distribution, **found["search"]}
        nodes = sum(map(len, search["distribution"].get("nodes", [])))  # of layers
        return {**search, "nodes": nodes or len({node for row in found["owner"] for node in row})}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    for name, known in (("cluster", list(CLUSTERS)), ("network", list(NETWORKS)), ("policy", None)):
        parser.add_argument(f"--{name}", action="append", choices=known, default=[])
    parser.add_argument("--nt", type=int, action="append", default=[])
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results/layers/search.jsonl")
    a = parser.parse_args()
    results = KeptResults(a.results)
    print("| cluster | network | policy | N | best 2D map | s | one layer, s | nodes | with noise, ratio (95 %) | layers | nodes | s | with noise, ratio (95 %) |\n"
          + "|---" * 13 + "|")
    for cluster, network, policy, nt in itertools.product(a.cluster or ["22", "46"], a.network or list(NETWORKS), a.policy or ["dmdas"], a.nt or [25]):
        s = Searcher(a.program, CLUSTERS[cluster], nt, network, policy, results)
        name, two_d = s.best([(d["type"], d) for d in TWO_D], 2)
        reference = s.run(two_d, seed=101, replicas=5)
        one = s.found(two_d, a.evaluations)
        layers = s.found({"type": "layers", "layers": 2, "layer": {"type": "1d1d-c"}}, a.evaluations)
        ratios = [interval_text(ratio_interval(reference, s.run(found["distribution"], seed=101, replicas=5))) for found in (one, layers)]
        count = layers["distribution"]["layers"]
        print(f"| {cluster} | {network} | {policy} | {nt} | {name} | {statistics.mean(reference):.3f} | {one['makespan_s']:.3f} | {one['nodes']} | {ratios[0]} |"
              f" {count} | {layers['nodes']} | {layers['makespan_s']:.3f} | {ratios[1]} |", flush=True)


if __name__ == "__main__":
    main()
