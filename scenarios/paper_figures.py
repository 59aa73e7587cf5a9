#!/usr/bin/env python3
"""Figures of the papers that `factosim report` does not draw, in the axes of the originals.

    scenarios/paper_figures.py [FIGURE...] [--program PROGRAM] [--out FOLDER]

Writes FOLDER/FIGURE.svg, by default below results/paper_figures; without names, all. Those of runs that take minutes read what the scripts
of the studies have written to results/, and are left out where it is not there.
"""
import argparse
import csv
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402

sys.dont_write_bytecode = True
from verdicts import HERE, ROOT, Study  # noqa: E402

STYLE = next(ROOT.glob("simulator/front/**/factosim.mplstyle"))
KINDS = {"block-cyclic": "block-cyclic", "block-cyclic-fast": "block-cyclic, fast nodes", "1d1d": "1Dx1D", "1d1d-c": "1Dx1D-C", "1d1d-c+s": "1Dx1D-C+S",
         "lp": "linear program", "lp-gpu-nodes": "linear program, GPU nodes"}


class Missing(Exception):
    """A file that a script of a study writes is not there."""


class Source(Study):
    """Runs of all studies: scenarios are named from this folder."""

    def __init__(self, program):
        super().__init__("", program)

    def ask(self, command, scenario, *settings):
        return self.run(command, scenario, *(word for setting in settings for word in ("--set", setting)))

    def text(self, command, scenario, settings, *options):
        """Returns what a command prints that has no --set: the settings go into a scenario of their own."""
        with tempfile.TemporaryDirectory() as folder:
            changed = json.loads((HERE / scenario).read_text())
            for pointer, value in (setting.split("=", 1) for setting in settings):
                *path, last = pointer.strip("/").split("/")
                functools.reduce(dict.__getitem__, path, changed)[last] = json.loads(value)
            changed["platform"]["file"] = str(HERE.parent / "platforms/lille.json")
            file = Path(folder) / "scenario.json"
            file.write_text(json.dumps(changed))
            return subprocess.run([self.program, command, file, *options], check=True, capture_output=True, text=True).stdout

    @staticmethod
    def table(name):
        file = ROOT / "results" / name
        if not file.exists():
            raise Missing(f"results/{name} is not there")
        with file.open() as opened:
            return list(csv.DictReader(opened))


def logarithmic(axes):
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter("")


def above(axes, columns):
    """A legend that covers nothing."""
    axes.legend(frameon=False, ncols=columns, loc="lower left", bbox_to_anchor=(0, 1.1), borderaxespad=0, columnspacing=1, handlelength=1)


def labelled(axes, title, x, y):
    axes.set_title(title, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def sections(source):
    """ICPADS 2020, figure 7: the three bounds of each iteration; vertical lines where a section begins."""
    found = source.ask("bounds", "lu_icpads20/fig07_sections.json")
    figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
    for key, name in (("abe_s", "ABE"), ("abe_star_s", "ABE* (nodes of the section)"), ("cpb_with_comm_s", "CPB")):
        axes.plot(range(1, len(found["iterations"][key]) + 1), found["iterations"][key], label=name)
    for section in found["sections"]:
        axes.axvline(section["first_k"], color="#999", linewidth=0.6)
    logarithmic(axes)
    labelled(axes, "7 + 14 nodes, 100 x 100 tiles", "iteration k", "bound of the iteration [s]")
    axes.legend(frameon=False)
    return figure


def cumulative_loads(source):
    """ICPADS 2020, figure 9: loads of all nodes summed up over iterations, over their mean, before and after shuffling."""
    figure, all_axes = plt.subplots(1, 3, figsize=(7, 2.4), layout="constrained", sharey=True)
    for rounds, axes in enumerate(all_axes):
        loads = source.ask("bounds", "lu_icpads20/fig09_two_shuffles.json", f"/distribution/rounds={rounds}")["iterations"]["cabe_per_node_s"]
        mean = [sum(at) / len(at) for at in zip(*loads)]
        for load in loads:
            axes.plot(range(1, len(load) + 1, 2), [a - b for a, b in zip(load, mean)][::2], linewidth=0.6, color="#0072b2", alpha=0.6)
        labelled(axes, ("1Dx1D-C", "shuffled once", "shuffled twice")[rounds], "iteration k", "" if rounds else "CABE less its mean [s]")
    return figure


def growing(source):
    """ICPADS 2020, figure 13: makespan beside the area bound, 16 + 30 nodes, N = 25 to 150."""
    rows = [row for row in source.table("lu_icpads20/fig13.csv") if row["setting"] == "-"]
    figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
    for kind in ("block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"):
        of = sorted((int(row["nt"]), float(row["makespan_s"])) for row in rows if row["distribution"] == kind)
        axes.plot(*zip(*of), marker="o", label=KINDS[kind])
    bound = sorted({(int(row["nt"]), float(row["abe_s"])) for row in rows if row["distribution"] == "1d1d"})
    axes.plot(*zip(*bound), color="black", linestyle="--", label="area bound")
    logarithmic(axes)
    labelled(axes, "16 Chifflet + 30 Chetemi", "tiles in a row, N", "makespan [s]")
    axes.legend(frameon=False, ncols=2)
    return figure


def optimisations(source):
    """ICPP 2021, figure 5: one bar for each optimisation on top of those before it."""
    rows = source.table("exageostat_icpp21/fig05.csv")
    figure, all_axes = plt.subplots(1, 4, figsize=(7, 2.6), layout="constrained")
    for axes, key in zip(all_axes, ((60, 4), (60, 6), (101, 4), (101, 6))):
        of = [row for row in rows if (int(row["nt"]), int(row["chifflet"])) == key]
        names = [row["case"].split("=")[0].replace("_", " ") for row in of]
        axes.bar(range(len(of)), [float(row["makespan_s"]) for row in of], color=["#555555"] + ["#0072b2"] * (len(of) - 1))
        axes.set_xticks(range(len(of)), names, rotation=90)
        labelled(axes, f"workload {key[0]}, {key[1]} Chifflet", "", "makespan [s]" if axes is all_axes[0] else "")
    return figure


def node_sets(source):
    """ICPP 2021, figure 7: distributions on sets of Chetemi + Chifflet + Chifflot; white: the ideal of the linear program."""
    rows = source.table("exageostat_icpp21/fig07.csv")
    sets = list(dict.fromkeys((row["chetemi"], row["chifflet"], row["chifflot"]) for row in rows if row["case"] == "1d1d"))
    figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
    cases = ("block-cyclic", "block-cyclic-fast", "1d1d", "lp", "lp-gpu-nodes")
    for i, case in enumerate(cases):
        times = [next(float(row["makespan_s"]) for row in rows if row["case"] == case and row["chifflet"] == each[1] and
                      (case == "block-cyclic-fast" or (row["chetemi"], row["chifflot"]) == (each[0], each[2]))) for each in sets]
        axes.bar([at + 0.16 * (i - 2) for at in range(len(sets))], times, width=0.15, label=KINDS[case])
        if case.startswith("lp"):
            nodes = [[{"type": kind, "count": int(n)} for kind, n in zip(("chetemi", "chifflet", "chifflot"), each) if n != "0"] for each in sets]
            ideals = [source.ask("distribute", "exageostat_icpp21/fig07_lp.json", f"/platform/nodes={json.dumps(of)}",
                                 f"/distribution/factorization={'all' if case == 'lp' else 'gpu-nodes'}")["lp"]["makespan_s"] for of in nodes]
            axes.bar([at + 0.16 * (i - 2) for at in range(len(sets))], ideals, width=0.08, color="white", edgecolor="black", linewidth=0.5)
    axes.set_xticks(range(len(sets)), [" + ".join(n for n in each if n != "0") for each in sets])
    labelled(axes, "workload 101", "nodes: Chetemi + Chifflet + Chifflot", "makespan [s]")
    above(axes, 5)
    return figure


def painted(axes, owner, title):
    """Draws a map of tiles, rows downwards."""
    colours = matplotlib.colormaps["Set2"]
    pixels = np.array([[colours(node) if node >= 0 else (1, 1, 1, 0) for node in row] for row in owner])
    axes.imshow(pixels.repeat(8, axis=0).repeat(8, axis=1), interpolation="none")  # viewers blur a pixel that is enlarged
    axes.set_axis_off()
    axes.set_title(title, fontsize="medium")


def lower(owner):
    return [[node if n <= m else -1 for n, node in enumerate(row)] for m, row in enumerate(owner)]


def phases(source):
    """ICPP 2021, figure 4: maps of the factorization and of the generation, independent and by Algorithm 2."""
    settings = ['/platform/nodes=[{"type":"chetemi","count":4}]', "/application/nt=50", "/application/n=48000"]
    found = [source.ask("distribute", "exageostat_icpp21/fig07_lp.json", *settings, "/distribution=" + json.dumps(
        {"type": "1d1d", "speeds": [0.09, 0.09, 1, 1], "generation": generation}))
        for generation in ({"type": "block-cyclic", "p": 2, "q": 2}, {"type": "redistribute", "target": [318, 319, 319, 319]})]
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.7), layout="constrained")
    painted(axes[0], lower(found[0]["owner"]), "factorization")
    for each, at, name in zip(found, axes[1:], ("generation, independent", "generation, Algorithm 2")):
        painted(at, lower(each["generation_owner"]), f"{name}: {each['redistributed_tiles']} tiles move")
    return figure


def grids(source):
    """IPDPS 2000, figures 1 to 4: panels of 2 x 2 grids."""
    shown = (("cycle-times 1 2 3 6: balanced", ["/distribution/cycle_times=[1,2,3,6]", '/distribution/panel={"rows": 4, "columns": 3}', "/application/nt=12"]),
             ("cycle-times 1 2 3 5: panels of 8 x 6", ["/application/nt=24"]),
             ("Kalinov-Lastovetsky", ['/distribution={"type": "kalinov-lastovetsky", "p": 2, "q": 2}', "/application/nt=28"]))
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.7), layout="constrained")
    for at, (title, settings) in zip(axes, shown):
        painted(at, source.ask("distribute", "het_grid/paper_2x2.json", *settings)["owner"], title)
    return figure


def random_grids(source):
    """IPDPS 2000, figures 6 to 8: means of 100 draws with their standard errors."""
    rows = source.table("het_grid/figures.csv")
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.3), layout="constrained")
    for at, (key, name) in zip(axes, (("workload", "average workload"), ("tau", "gain τ of the iterations"), ("steps", "steps to converge"))):
        at.errorbar([int(row["n"]) for row in rows], [float(row[key]) for row in rows], yerr=[float(row[f"{key}_error"]) for row in rows], marker="o")
        labelled(at, name, "n (grid of n x n)", "")
        at.set_ylim(bottom=0)
    return figure


def rings(source):
    """Slides of 2003, results: time of a step by slice-ring and by shared-ring, over the weight of communication."""
    figure, all_axes = plt.subplots(1, 2, figsize=(7, 2.4), layout="constrained")
    for axes, machine in zip(all_axes, ("lyon", "strasbourg")):
        ratios, steps = (0.1, 1, 10), []
        for ratio in ratios:
            metrics = source.ask("run", f"ring/{machine}.json", "/network/model=maxmin", "/application/method=shared-ring", f"/application/message_bytes={round(12.5e6 * ratio)}",
                                 '/application/compare=[{"method": "slice-ring", "refinement": "max-min"}]')["metrics"]
            steps.append((metrics["step_slice-ring_max-min_s"] / 100, metrics["step_computed_s"] / 100))
        for i, name in enumerate(("slice-ring", "shared-ring")):
            axes.bar([at + 0.4 * i - 0.2 for at in range(3)], [step[i] for step in steps], width=0.38, label=name)
        axes.set_xticks(range(3), [f"{ratio:g}" for ratio in ratios])
        labelled(axes, f"{machine.capitalize()} (links are ours)", "H / W", "time of a step / W")
    all_axes[0].legend(frameon=False)
    return figure


def balancers(source):
    """Slides of PLB-HAC: time over the optimum, shares of the classes of units, idle time by class."""
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.6), layout="constrained", width_ratios=(1.2, 1.4, 1))
    names = ("plb-hac", "hdss", "greedy")
    shares, idle = {}, {}
    for i, balancer in enumerate(names):
        ratios = []
        for setup in ("one_machine", "three_machines", "five_machines"):
            result = source.ask("run", f"balance/{setup}.json", f"/application/balancer={balancer}")
            ratios.append(result["metrics"]["ratio_to_optimal"])
        axes[0].bar([at + 0.27 * (i - 1) for at in range(3)], ratios, width=0.25, label=balancer)
        shares["optimum"] = {}
        shares[balancer] = {}
        for worker in result["balance"]["workers"]:
            for key, of in (("optimal_share", "optimum"), ("share", balancer)):
                shares[of][worker["class"]] = shares[of].get(worker["class"], 0) + worker[key]
        idle[balancer] = result["metrics"]["idle"]
    axes[0].set_xticks(range(3), ["1", "3", "5"])
    labelled(axes[0], "time / optimal", "machines", "")
    above(axes[0], 3)
    kinds = list(shares["optimum"])
    for i, (name, color) in enumerate(zip(("optimum", "plb-hac", "hdss", "greedy"), ("black", "#0072b2", "#d55e00", "#009e73"))):
        axes[1].bar([at + 0.2 * (i - 1.5) for at in range(len(kinds))], [100 * shares[name][kind] for kind in kinds], width=0.18, color=color, label=name)
    axes[1].set_xticks(range(len(kinds)), kinds)
    labelled(axes[1], "share, five machines [%]", "", "")
    above(axes[1], 4)
    axes[2].bar(names, [100 * idle[name] for name in names], color=["#0072b2", "#d55e00", "#009e73"])
    labelled(axes[2], "idle, five machines [%]", "", "")
    return figure


def tasks_of_iteration(source):
    """ICPP 2021, figure 1: tasks of one iteration for N = 3, below those whose output they need."""
    sets = ["/application/nt=3", "/application/n=2880", '/platform/nodes=[{"type": "chifflet", "count": 1}]', "/distribution/q=1", "/distribution/p=1"]
    lines = source.text("export", "exageostat_icpp21/fig06_all.json", sets, "--format", "graph-jsonl", "-o", "-")
    tasks = [line for line in map(json.loads, lines.splitlines()) if "task" in line]
    writer, edges, depth = {}, [], []
    for i, task in enumerate(tasks):
        before = {writer[name] for name, _ in task["accesses"] if name in writer}
        edges += [(j, i) for j in sorted(before)]
        depth.append(1 + max((depth[j] for j in before), default=-1))
        writer.update((name, i) for name, mode in task["accesses"] if mode != "R")
    rows = [[i for i, d in enumerate(depth) if d == row] for row in range(max(depth) + 1)]
    place = {i: (at - (len(row) - 1) / 2, -d) for d, row in enumerate(rows) for at, i in enumerate(row)}
    kernels = list(dict.fromkeys(task["kernel"] for task in tasks))
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for a, b in edges:
        axes.annotate("", place[b], place[a], arrowprops={"arrowstyle": "->", "color": "#999", "linewidth": 0.6, "shrinkA": 9, "shrinkB": 9})
    for kernel in kernels:
        of = [i for i, task in enumerate(tasks) if task["kernel"] == kernel]
        axes.scatter(*zip(*(place[i] for i in of)), s=260, color=matplotlib.colormaps["Set3"](kernels.index(kernel)), edgecolors="#555", linewidths=0.6, label=kernel)
    for i, task in enumerate(tasks):
        axes.text(*place[i], ",".join(str(task[key]) for key in "kmn"), ha="center", va="center", fontsize=5)
    axes.set_axis_off()
    axes.legend(frameon=False, ncols=len(kernels), loc="lower center", bbox_to_anchor=(0.5, 1), handletextpad=0, columnspacing=0.8, markerscale=0.5)
    return figure


def topologies(source):
    """Slides of 2003, the two platforms: circles compute, squares do not; links are ours, wider where faster."""
    figure, all_axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
    for axes, machine in zip(all_axes, ("lyon", "strasbourg")):
        graph = json.loads((HERE / f"ring/{machine}.platform.json").read_text())["graph"]
        near = {p["name"]: [] for p in graph["processors"]}
        for link in graph["links"]:
            near[link["from"]].append(link["to"])
            near[link["to"]].append(link["from"])
        speed = {p["name"]: p.get("speed_per_s", 0) for p in graph["processors"]}
        routers = [name for name in near if not speed[name]]
        place = {name: np.array((np.cos(a), np.sin(a))) for name, a in zip(routers, 2 * np.pi * np.arange(len(routers)) / len(routers) + 0.3)}
        middle = max(routers, key=lambda name: sum(other in place for other in near[name]))
        if len(routers) > 3:  # the router that most others are joined to
            place[middle] = np.zeros(2)
        fan = 1.3 if len(routers) < 4 else 0.6
        for router in routers:
            own = [name for name in near[router] if speed[name]]
            out = np.arctan2(*place[router][::-1])
            place.update((name, place[router] + 0.75 * np.array((np.cos(a), np.sin(a)))) for name, a in zip(own, out + np.linspace(-fan, fan, len(own))))
        for link in graph["links"]:
            axes.plot(*zip(place[link["from"]], place[link["to"]]), color="#0072b2" if link.get("direction") == "full-duplex" else "#999",
                      linewidth=0.8 * (1 + np.log10(link["bandwidth_Bps"] / 1.25e6)), zorder=0)
        for name, at in place.items():
            axes.scatter(*at, s=190, marker="o" if speed[name] else "s", color="#f0c36d" if speed[name] else "#ddd", edgecolors="#555", linewidths=0.6)
            axes.text(*at, name, ha="center", va="center", fontsize=5)
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_title(f"{machine.capitalize()} (links are ours): wide 100 Mb/s, narrow 10; blue full-duplex", fontsize=6)
    return figure


def fitted_curves(source):
    """Slides of PLB-HAC, examples of curve fitting: blocks that the workers of A executed, and least squares over the terms that PLB-HAC chose in the end."""
    terms = {"1": np.ones_like, "ln x": np.log, "x": lambda x: x, "x^2": np.square, "x^3": lambda x: x**3, "e^x": np.exp, "x e^x": lambda x: x * np.exp(x), "x ln x": lambda x: x * np.log(x)}
    figure, all_axes = plt.subplots(2, 2, figsize=(7, 4), layout="constrained")
    for column, (name, loop) in zip(all_axes.T, (("GRN", '{"kernel": "grn", "genes": 20000}'), ("MM", '{"kernel": "matmul", "n": 65536}'))):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([source.program, "run", HERE / "balance/one_machine.json", "--set", f"/application/loop={loop}", "--out", f"{folder}/run"], check=True, capture_output=True)
            subprocess.run([source.program, "export", f"{folder}/run", "--format", "chrome", "-o", f"{folder}/blocks.json"], check=True, capture_output=True)
            balance = json.loads(Path(f"{folder}/run/result.json").read_text())["balance"]
            blocks = [event for event in json.loads(Path(f"{folder}/blocks.json").read_text())["traceEvents"] if event.get("cat") == "task"]
        for i, (axes, worker) in enumerate(zip(column, balance["workers"])):
            own = sorted((event for event in blocks if event["tid"] == i + 1 and event["name"] in ("initial", "main")), key=lambda event: event["ts"])
            sizes = [step["shares"][i] * step["chunks"] / balance["chunks"] for step in balance["steps"] if step["phase"] != "final" and step["shares"][i] > 0]
            x, seconds = np.array(sizes), np.array([event["dur"] / 1e6 for event in own])
            chosen = [terms[term] for term in worker["fitted_terms"].split(", ")] + [terms["x"], terms["1"]]
            weights = np.linalg.lstsq(np.array([term(x) for term in chosen]).T, seconds, rcond=None)[0]
            line = np.linspace(x.min(), x.max(), 60)
            axes.plot(100 * x, seconds, "o", markersize=3)
            axes.plot(100 * line, sum(a * term(line) for a, term in zip(weights, chosen)), color="#d55e00")
            labelled(axes, f"{name}, {'CPU' if worker['class'] == 'cpu' else 'GPU'}: {worker['fitted_terms']}", "share of the loop [%]", "time of a block [s]")
    return figure


def adaptability(source):
    """Slides of PLB-HAC, adaptability: shares of the workers of A and B in each step; another program starts at the line."""
    figure, all_axes = plt.subplots(1, 2, figsize=(7, 2.5), layout="constrained", sharey=True)
    for axes, panel in zip(all_axes, ("grn", "rendering")):
        balance = source.ask("run", f"balance/perturbation_{panel}.json")["balance"]
        steps = [step for step in balance["steps"] if step["chunks"] >= 50]  # without the small ones at both ends
        for i, worker in enumerate(balance["workers"]):
            axes.plot([step["start_s"] for step in steps], [step["shares"][i] for step in steps], marker=".", label=worker["name"])
        axes.axvline(142, color="black", linewidth=0.8)
        labelled(axes, f"{panel} starts on the GPU of A at 142 s", "begin of the step [s]", "share of a block" if panel == "grn" else "")
        axes.set_ylim(bottom=0)
    above(all_axes[0], 5)
    return figure


FIGURES = {"lu_fig07": sections, "lu_fig09": cumulative_loads, "lu_fig13": growing, "exa_fig01": tasks_of_iteration, "exa_fig04": phases, "exa_fig05": optimisations, "exa_fig07": node_sets,
           "grid_fig01_fig04": grids, "grid_fig06_fig08": random_grids, "ring_topologies": topologies, "ring_results": rings, "balance_results": balancers, "balance_curves": fitted_curves,
           "balance_adaptability": adaptability}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help="one of " + ", ".join(FIGURES))
    parser.add_argument("--program", default=ROOT / "build/release/factosim", type=Path)
    parser.add_argument("--out", default=ROOT / "results/paper_figures", type=Path)
    options = parser.parse_args()
    if unknown := [name for name in options.figures if name not in FIGURES]:
        parser.error(f"no figure {unknown[0]}: use one of {', '.join(FIGURES)}")
    if not options.program.exists():
        parser.error(f"no program {options.program}: build it first, or name it with --program")
    options.out.mkdir(parents=True, exist_ok=True)
    source = Source(options.program.resolve())
    for name in options.figures or FIGURES:
        with plt.style.context(["default", STYLE]):
            try:
                figure = FIGURES[name](source)
            except Missing as missing:
                print(f"{name}: left out ({missing}). Run the script of its study first", file=sys.stderr)
                continue
            figure.savefig(options.out / f"{name}.svg", metadata={"Date": None})
            plt.close(figure)
            print(options.out / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
