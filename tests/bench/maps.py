#!/usr/bin/env python3
"""1Dx1D-L against the other distributions and the search by simulations, on random clusters.

  tests/bench/maps.py PROGRAM                            30 clusters, 45 s of CPU for the simulations of each search: half an hour
  tests/bench/maps.py PROGRAM --cpu-seconds 600          the same with ten minutes of search on each cluster: 5 hours
  tests/bench/maps.py PROGRAM --cpu-seconds 600 --noise  also five runs with noise of each map
  tests/bench/maps.py PROGRAM --seed 7 --no-search       other clusters, without searches
  tests/bench/maps.py PROGRAM --policy prio --no-search  the same clusters under another policy
  tests/bench/maps.py PROGRAM --every 5 --cpu-seconds 120  every fifth cluster

Clusters have 6 to 60 nodes of 2 to 4 kinds; LU or Cholesky of 40 to 120 rows of tiles of 960; the network model is maxmin.
The searches start from the other distributions, without 1Dx1D-L. Prints a line for each cluster: makespans in seconds of
1Dx1D-L, of the best other distribution and of the map found, then mean and worst of their ratios; with --noise also the means of the ratios over the map found in five pairs of runs, and the 95 % prediction
interval of one further pair. Makespans are kept in the file of --results, and what is there is not run again: remove it, or
lines of it, when the program changes.
"""

import argparse
import json
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

SCENARIOS = pathlib.Path(__file__).resolve().parents[2] / "scenarios"
sys.path[:0] = map(str, (SCENARIOS, SCENARIOS / "layers"))
from kept_results import KeptResults  # noqa: E402
from ratio_figure import draw  # noqa: E402
from study import NOISE, interval_text, ratio_interval  # noqa: E402

KINDS = {
    "chetemi": "lille", "chifflet": "lille", "chifflot": "lille", "a100x4": "a100x4", "h100x4": "h100x4",
    "epyc-7763": "epyc-7763", "xeon-8480": "xeon-8480", "grace": "grace", "xeon-8358": "xeon-8358", "mi250x": "mi250x",
}
STARTS = ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s", "g-2dbc", "sbc"]
OTHERS = ["het-grid", *STARTS]


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


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Cluster:
    def __init__(self, program, scenario, folder, results):
        self.program, self.scenario, self.file, self.results = program, scenario, folder / "scenario.json", results
        self.file.write_text(json.dumps(scenario))

    def run(self, **distribution):
        """Returns makespan and CPU time of the simulation, and CPU time of the whole run; nothing if the distribution
        does not exist for these nodes."""
        return self.results.of(self.scenario, distribution, lambda: self._run(distribution))

    def _run(self, distribution):
        before = cpu_of_children()
        run = subprocess.run([self.program, "run", self.file, "--json", "--set", f"distribution={json.dumps(distribution)}"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            if distribution["type"] in ("het-grid", "sbc"):
                return None
            raise SystemExit(run.stderr)
        result = json.loads(run.stdout)
        return {"makespan_s": result["makespan_s"], "simulation_cpu_s": result["simulation"]["cpu_s"],
                "cpu_s": cpu_of_children() - before, "diagnosis": result["diagnosis"]["limit"],
                "tiles_sent": result["tiles_sent"]}

    def with_noise(self, owner):
        """Returns the makespans of five runs with noise of a map, the same seeds for all maps."""
        return self.results.of(self.scenario, ["noise", owner], lambda: self._with_noise(owner))

    def _with_noise(self, owner):
        rows = (" ".join(str(max(node, 0) + 1) for node in row) for row in owner)  # of Cholesky, tiles above the diagonal have no node
        map_file = self.file.with_name("map.txt")
        map_file.write_text("\n".join([f"{len(owner)} {len(owner)}", *rows]) + "\n")
        run = subprocess.run([self.program, "run", self.file, "--json", "--jobs", "1", "--replicas", "5", "--set", f"noise={json.dumps(NOISE)}", "--set",
                              f"distribution={json.dumps({'type': 'file', 'file': str(map_file)})}"], capture_output=True, text=True, check=True)
        return json.loads(run.stdout)["replicas"]["makespan_s"]["values"]

    def owner(self, **distribution):
        """Returns the map of a distribution."""
        return self.results.of(self.scenario, ["owner", distribution], lambda: self._owner(distribution))

    def _owner(self, distribution):
        told = subprocess.run([self.program, "distribute", self.file, "--json", "--set", f"distribution={json.dumps(distribution)}"],
                              capture_output=True, text=True, check=True)
        return json.loads(told.stdout)["owner"]

    def search(self, cpu_seconds):
        """Searches with as many simulations as that time allows by the time of one; at least 12."""
        return self.results.of(self.scenario, f"search {cpu_seconds}", lambda: self._search(cpu_seconds))

    def _search(self, cpu_seconds):
        evaluations = max(12, int(cpu_seconds / self.run(type="1d1d")["simulation_cpu_s"]))
        return self._improve(evaluations, STARTS)

    def _improve(self, evaluations, starts):
        before = cpu_of_children()
        found = subprocess.run([self.program, "distribute", self.file, "-q", "--json", "--improve", "1e6", "--evaluations",
                                str(evaluations), "--starts", ",".join(starts)], capture_output=True, text=True, check=True)
        answer = json.loads(found.stdout)
        return {**answer["search"], "cpu_s": cpu_of_children() - before, "owner": answer["owner"]}

    def best_other(self, found):
        """The name and the makespan of the best other distribution: the search has simulated all but one."""
        others = {name: self.run(type=name) for name in (["het-grid"] if found else OTHERS)}
        makespans = {name: run["makespan_s"] for name, run in others.items() if run}
        if found:
            makespans[found["start"]["type"]] = found["start"]["makespan_s"]
        best = min(makespans, key=makespans.get)
        return best, makespans[best]

    def text(self):
        app, platform = self.scenario["application"], self.scenario["platform"]
        nodes = " + ".join(f"{n['count']} {n['type']}" for n in platform["nodes"])
        return f"{app['type']} {app['nt']} on {nodes}, {platform['network']['preset']}"


def summary(name, ratios):
    print(f"{name}: mean {statistics.geometric_mean(ratios):.3f}, median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}, best {min(ratios):.3f}, "
          f"{sum(r <= 1.02 for r in ratios)} of {len(ratios)} within 2 %", flush=True)


def compare(clusters, cpu_seconds, noise, figure):
    ratios = {"1Dx1D-L over the best other": [], "1Dx1D-L over the search": [], "with noise, 1Dx1D-L over the search": []}
    cpu, figure_rows = [], []
    for number, cluster in clusters:
        found = cluster.search(cpu_seconds) if cpu_seconds else None
        selected = cluster.run(type="1d1d-l")
        best, makespan = cluster.best_other(found)
        cpu.append(selected["cpu_s"] - selected["simulation_cpu_s"])
        others = [makespan, found["makespan_s"]] if found else [makespan]
        row = [selected["makespan_s"] / other for other in others]
        points = [(row[-1], None, None)]  # over the search, if there was one
        if found and noise:
            interval = ratio_interval(cluster.with_noise(found["owner"]), cluster.with_noise(cluster.owner(type="1d1d-l")))
            row.append(interval[0])
            points.append(interval)
        for of_name, ratio in zip(ratios.values(), row):
            of_name.append(ratio)
        line = f"| {number} | {cluster.text()} | {makespan:.3f} ({best}) | {selected['makespan_s']:.3f} | {row[0]:.3f} |"
        if found:
            line += f" {found['makespan_s']:.3f} ({found['evaluations']}) | {row[1]:.3f} |"
            line += f" {interval_text(interval)} |" if noise else ""
        print(line, flush=True)
        figure_rows.append((f"{number}: {cluster.text().split(', ')[0]}", points))
    ratios = {name: values for name, values in ratios.items() if values}
    if figure:
        draw(figure, "ratios of makespans", list(ratios)[-len(figure_rows[0][1]):], figure_rows)
    for name, values in ratios.items():
        summary(name, values)
    print(f"CPU of the construction and the bounds: median {statistics.median(cpu):.1f} s, most {max(cpu):.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--clusters", type=int, default=30)
    parser.add_argument("--first", type=int, default=0, help="leave out the clusters before")
    parser.add_argument("--every", type=int, default=1, help="only clusters whose number it divides")
    parser.add_argument("--policy", default="dmdas")
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--cpu-seconds", type=float, default=45, help="of each search")
    parser.add_argument("--no-search", action="store_true")
    parser.add_argument("--noise", action="store_true", help="also five runs with noise of the maps that are compared with the search's")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--figure", type=pathlib.Path, help="SVG of the ratios")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    program = pathlib.Path(options.program).resolve()
    results = KeptResults(options.results)
    with tempfile.TemporaryDirectory() as folder:
        scenarios = [draw_scenario(draw) for _ in range(options.clusters)]
        for scenario in scenarios:
            scenario["scheduler"]["type"] = options.policy
        cases = [(number, s) for number, s in enumerate(scenarios) if number >= options.first and number % options.every == 0]
        clusters = ((number, Cluster(program, scenario, pathlib.Path(folder), results)) for number, scenario in cases)
        compare(clusters, 0 if options.no_search else options.cpu_seconds, options.noise, options.figure)


if __name__ == "__main__":
    main()
