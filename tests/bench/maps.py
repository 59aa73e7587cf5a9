#!/usr/bin/env python3
"""1Dx1D-L against the other distributions and the search by simulations, on random clusters.

  tests/bench/maps.py PROGRAM                            30 clusters, the searches simulate two million tasks each
  tests/bench/maps.py PROGRAM --seconds 600              the same with ten minutes of search on each cluster: 5 hours
  tests/bench/maps.py PROGRAM --curve 3 --tasks 2e7      improvements of the search by simulations, on 3 clusters

Clusters have 6 to 60 nodes of 2 to 4 kinds; LU or Cholesky of 40 to 120 rows of tiles of 960; the network model is maxmin.
The searches start from the distributions that they know, without 1Dx1D-L. Prints a line for each cluster: makespans in
seconds of 1Dx1D-L, of the best other distribution and of the map found, then mean and worst of their ratios.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

KINDS = {
    "chetemi": "lille", "chifflet": "lille", "chifflot": "lille", "a100x4": "a100x4", "h100x4": "h100x4",
    "epyc-7763": "epyc-7763", "xeon-8480": "xeon-8480", "grace": "grace", "xeon-8358": "xeon-8358", "mi250x": "mi250x",
}
OTHERS = ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s", "het-grid", "g-2dbc", "sbc"]


def draw_scenario(draw):
    kinds = draw.sample(sorted(KINDS), draw.randint(2, 4))
    nodes = draw.randint(6, 60)
    cuts = sorted(draw.sample(range(1, nodes), len(kinds) - 1))
    counts = [b - a for a, b in zip([0, *cuts], [*cuts, nodes])]
    return {
        "platform": {"merge": sorted({KINDS[kind] for kind in kinds}), "network": {"preset": draw.choice(
            ["ethernet-10g", "ethernet-25g", "infiniband-edr", "infiniband-hdr"])},
            "nodes": [{"type": kind, "count": count} for kind, count in zip(kinds, counts)]},
        "application": {"type": draw.choice(["lu", "cholesky"]), "nt": draw.randint(40, 120), "nb": 960, "precision": "double"},
        "distribution": {"type": "1d1d"},
        "scheduler": {"type": "dmdas"},
        "network": {"model": "maxmin"},
    }


class Cluster:
    def __init__(self, program, scenario, folder):
        self.program, self.scenario, self.file = program, scenario, folder / "scenario.json"
        self.out = folder / "run"
        self.file.write_text(json.dumps(scenario))

    def makespan(self, distribution):
        """Returns nothing if the distribution does not exist for these nodes."""
        run = subprocess.run([self.program, "run", self.file, "-q", "--set", f"distribution={json.dumps({'type': distribution})}",
                              "--out", self.out, "--force"], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            if distribution in OTHERS[4:]:
                return None
            raise SystemExit(run.stderr)
        return json.loads((self.out / "result.json").read_text())["makespan_s"]

    def search(self, limits):
        found = subprocess.run([self.program, "distribute", self.file, "-q", "--json", *limits], capture_output=True, text=True, check=True)
        return json.loads(found.stdout)["search"]

    def tasks(self):
        app = self.scenario["application"]
        return app["nt"] ** 3 / (3 if app["type"] == "lu" else 6)

    def text(self):
        app, nodes = self.scenario["application"], self.scenario["platform"]["nodes"]
        return f"{app['type']} {app['nt']} on " + " + ".join(f"{n['count']} {n['type']}" for n in nodes) + \
            f", {self.scenario['platform']['network']['preset']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--clusters", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="leave out the clusters before")
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--seconds", type=float, help="of each search")
    parser.add_argument("--tasks", type=float, default=2e6, help="of all simulations of a search")
    parser.add_argument("--curve", type=int, help="only the searches, on so many clusters")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    program = pathlib.Path(options.program).resolve()
    by_best, by_search = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.curve or options.clusters):
            cluster = Cluster(program, draw_scenario(draw), pathlib.Path(folder))
            if number < options.first:
                continue
            evaluations = max(8, int(options.tasks / cluster.tasks()))
            limits = ["--improve", str(options.seconds)] if options.seconds else \
                ["--improve", "1e6", "--evaluations", str(evaluations)]
            found = cluster.search(limits)
            selected = cluster.makespan("1d1d-l")
            if options.curve:
                print(cluster.text(), f"1d1d-l {selected:.3f}", found["history"], sep="\n  ", flush=True)
                continue
            others = {name: cluster.makespan(name) for name in OTHERS}
            best = min((name for name in OTHERS if others[name]), key=lambda name: others[name])
            by_best.append(selected / others[best])
            by_search.append(selected / found["makespan_s"])
            print(f"{number:2} {cluster.text()}: {selected:.3f}, {best} {others[best]:.3f} ({by_best[-1]:.3f}), "
                  f"{found['evaluations']} simulations {found['makespan_s']:.3f} ({by_search[-1]:.3f})", flush=True)
    for name, ratios in (("the best other distribution", by_best), ("the search", by_search)):
        if ratios:
            print(f"1d1d-l over {name}: mean {statistics.mean(ratios):.3f}, worst {max(ratios):.3f}, best {min(ratios):.3f}, "
                  f"{sum(r <= 1.02 for r in ratios)} of {len(ratios)} within 2 %")


if __name__ == "__main__":
    main()
