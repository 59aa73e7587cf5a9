#!/usr/bin/env python3
"""Searches how many layers, and which nodes form each.

    scenarios/layers/search.py PROGRAM --cluster 46 --network 1g --nt 25 [--policy dmdas] [--evaluations 150] [--seed 1]

Twice a search by simulations without noise, with the same moves and the same number of them: over one layer, so over the nodes that take
part, and over two or more layers. Moves: a node goes to another layer, joins or leaves; two nodes of different types swap; a layer is
split into two or two are joined; iterations in a row; the map of a layer (1d1d, 1d1d-c); the share of a layer. Each starts from the best
of the choices of study.py. A better choice is kept. Prints for both, and for the best 2D map and 1d1d-l: the makespan without noise,
the tiles sent, the critical path without and with its messages, the number of nodes used; then the mean of five runs with noise and its
ratio over that of the best 2D map with the 95 % prediction interval of one further pair.
"""
import argparse
import copy
import json
import pathlib
import random
import statistics
import subprocess
import sys

from study import CLUSTERS, NETWORKS, ROOT, TWO_D, Simulator, by_type, choices, interval_text, ratio_interval

sys.path.insert(0, str(ROOT / "scenarios"))
from kept_results import KeptResults  # noqa: E402


class Search:
    """Improves layers of nodes: a list of lists, and the keys of the distribution."""

    def __init__(self, simulator, cluster, seed):
        self.simulator, self.random = simulator, random.Random(seed)
        self.type_of = {node: t for t, nodes in enumerate(by_type(cluster)) for node in nodes}
        self.runs = 0

    def distribution(self, state):
        out = {"type": "layers", "layers": len(state["nodes"]), "nodes": [sorted(nodes) for nodes in state["nodes"]],
               "layer": {"type": state["type"]}, "consecutive": state["consecutive"]}
        if any(f != 1 for f in state["factors"]):
            rates = [sum(self.rates[self.type_of[n]] for n in nodes) * f for nodes, f in zip(state["nodes"], state["factors"])]
            out["shares"] = rates
        return out

    def makespan(self, state):
        self.runs += 1
        return self.simulator.plain(self.distribution(state))["makespan_s"]

    def moved(self, state):
        state = copy.deepcopy(state)
        layers, draw = state["nodes"], self.random
        out = [n for n in self.type_of if not any(n in nodes for nodes in layers)]
        kind = draw.randrange(8)
        if kind < 3:  # a node goes elsewhere
            node = draw.choice(list(self.type_of))
            places = [i for i in range(-1, len(layers)) if i < 0 or node not in layers[i]]
            for nodes in layers:
                if node in nodes:
                    nodes.remove(node)
            place = draw.choice(places)
            if place >= 0:
                layers[place].append(node)
        elif kind == 3 and (len(layers) > 1 or out):
            places = layers + ([out] if out else [])
            a, b = draw.sample(places, 2)
            if a and b:
                i, j = draw.randrange(len(a)), draw.randrange(len(b))
                a[i], b[j] = b[j], a[i]
        elif kind == 4:
            self.split_or_join(state)
        elif kind == 5:
            state["consecutive"] = draw.choice([1, 2, 4])
        elif kind == 6:
            state["type"] = draw.choice(["1d1d", "1d1d-c"])
        else:
            state["factors"][draw.randrange(len(layers))] *= 2 ** draw.uniform(-0.5, 0.5)
        return state

    def split_or_join(self, state):
        layers, draw = state["nodes"], self.random
        if self.max_layers == 1:
            return
        if len(layers) < self.max_layers and draw.random() < 0.5:
            i = draw.randrange(len(layers))
            dealt = sorted(layers[i], key=lambda n: self.type_of[n])
            layers[i:i + 1] = [dealt[0::2], dealt[1::2]]
            state["factors"][i:i + 1] = [state["factors"][i]] * 2
        elif len(layers) > self.min_layers:
            i, j = draw.sample(range(len(layers)), 2)
            layers[i] += layers.pop(j) if j > i else []
            if j > i:
                state["factors"].pop(j)

    def run(self, starts, evaluations, min_layers, max_layers):
        self.min_layers, self.max_layers = min_layers, max_layers
        self.rates = self.simulator.rates(self.type_of)
        scored = [(self.makespan(s), i) for i, s in enumerate(starts)]
        best, state = min(scored)[0], starts[min(scored)[1]]
        self.runs = len(starts)
        turns = 0
        while self.runs < evaluations and turns < 20 * evaluations:
            turns += 1
            other = self.moved(state)
            if other == state or any(not nodes for nodes in other["nodes"]) or not min_layers <= len(other["nodes"]) <= max_layers:
                continue
            makespan = self.makespan(other)
            if makespan < best:
                best, state = makespan, other
        return self.distribution(state)


class PlainSimulator(Simulator):
    def plain(self, distribution):
        """Returns a run without noise."""
        scenario = {**self.scenario, "distribution": distribution}
        return self.results.of(scenario, "plain", lambda: self._plain(scenario))

    def _plain(self, scenario):
        answer = subprocess.run([self.program, "run", "/dev/stdin", "--json"], input=json.dumps(scenario), capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        result = json.loads(answer.stdout)
        return {**{key: result[key] for key in ("makespan_s", "tiles_sent")}, **{key: result["bounds"][key] for key in ("critical_path_s", "critical_path_with_comm_s")},
                "nodes": sum(node["last_task_s"] is not None and node["busy_s"] > 0 for node in result["nodes"])}

    def rates(self, type_of):
        """Returns the gemm rate of each type of node, from the bounds of a run on one of them alone: relative."""
        layers = [[n] for n in {t: n for n, t in reversed(list(type_of.items()))}.values()]
        scenario = {**self.scenario, "distribution": {"type": "layers", "layers": len(layers), "nodes": layers, "layer": {"type": "1d1d"}}}
        return self.results.of(scenario, "rates", lambda: self._rates(scenario, type_of))

    def _rates(self, scenario, type_of):
        answer = subprocess.run([self.program, "distribute", "/dev/stdin", "--json"], input=json.dumps(scenario), capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            sys.exit(answer.stderr)
        return [layer["share"] for layer in json.loads(answer.stdout)["layers"]]


def starts_of(cluster, layers_wanted):
    everyone = [n for nodes in by_type(cluster) for n in nodes]
    if not layers_wanted:
        fast = by_type(cluster)[0]
        return [{"nodes": [list(nodes)], "type": kind, "consecutive": 1, "factors": [1]} for nodes in (everyone, fast) for kind in ("1d1d", "1d1d-c")]
    out = []
    for _, keys in choices(cluster):
        nodes = keys.get("nodes") or [[n for t in by_type(cluster) for n in t[i::keys["layers"]]] for i in range(keys["layers"])]
        if all(nodes):
            out.append({"nodes": [list(n) for n in nodes], "type": keys["layer"]["type"], "consecutive": keys.get("consecutive", 1), "factors": [1] * len(nodes)})
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cluster", choices=list(CLUSTERS), required=True)
    parser.add_argument("--network", choices=list(NETWORKS), required=True)
    parser.add_argument("--nt", type=int, required=True)
    parser.add_argument("--policy", default="dmdas")
    parser.add_argument("--evaluations", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "results/layers/search.jsonl")
    a = parser.parse_args()
    cluster = CLUSTERS[a.cluster]
    simulator = PlainSimulator(a.program, cluster, a.nt, a.network, a.policy, KeptResults(a.results))
    rows = [(name := simulator.best([(d["type"], d) for d in TWO_D], 3)), ("1d1d-l", {"type": "1d1d-l"})]
    rows.append(("one layer, searched", Search(simulator, cluster, a.seed).run(starts_of(cluster, False), a.evaluations, 1, 1)))
    layers = Search(simulator, cluster, a.seed).run(starts_of(cluster, True), a.evaluations, 2, 4)
    rows.append((f"{layers['layers']} layers, searched", layers))
    print(f"{a.cluster} nodes, {a.network}, {a.policy}, N = {a.nt}\n\n| map | makespan, s | tiles sent | path, s | with messages, s | nodes | with noise, s | ratio (95 %) |\n" + "|---" * 8 + "|")
    reference = simulator.run(name[1], seed=101, replicas=5)
    for title, distribution in rows:
        plain = simulator.plain(distribution)
        noisy = simulator.run(distribution, seed=101, replicas=5)
        print(f"| {title} | {plain['makespan_s']:.3f} | {plain['tiles_sent']} | {plain['critical_path_s']:.3f} | {plain['critical_path_with_comm_s']:.3f} | {plain['nodes']} |"
              f" {statistics.mean(noisy):.3f} | {interval_text(ratio_interval(reference, noisy))} |")
    print("\n" + json.dumps(layers))


if __name__ == "__main__":
    main()
