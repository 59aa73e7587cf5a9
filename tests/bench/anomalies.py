#!/usr/bin/env python3
"""Scheduling anomalies and sensitivity of random scenarios.

usage: anomalies.py PROGRAM [--scenarios N] [--seed S] [--runs R] [--jobs J] [--check] [--records FILE]

In a dynamic list schedule a tile that arrives earlier may let another task go first, so that a better machine takes
longer (Graham, Bell System Technical Journal 45, 1966); a map that follows the speeds of the nodes adds its own
rounding to that, so maps are fixed here. Draws N scenarios (application, matrix, machine, distribution,
policy, network, broadcast), and simulates each as it is, with twice the bandwidth of all network cards, with one type
of node 1.25 times as fast, and without the costs of the runtime system. The sensitivity of each run is estimated from R perturbed
runs (`run --sensitivity`). Prints how many changes that should help make the makespan longer, of single runs and of
the means of the perturbed ones; which of the former the sensitivities of both runs explain (`compare` then calls
neither faster); and by how much single runs move. With --check, fails if a figure is worse than tests/README.md says."""

import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ["eager", "prio", "random", "ws", "lws", "dm", "dmda", "dmdar", "dmdap", "dmdas", "dmdasd", "heft", "heteroprio"]
COSTS = ["submission_cost_s", "push_cost_s", "fetch_cost_s", "progress_cost_s", "wont_use_cost_s", "gpu_queue_cost_s",
         "gpu_malloc_cost_s", "gpu_free_cost_s", "pinning_cost_s"]
CHANGES = ["twice the bandwidth", "a faster type", "no overheads"]
FASTER = 1.25
# What --check accepts, in per cent: the largest share of changes after which the mean is longer by over 5 %, and the
# range of the share of scenarios whose single runs are worth no more than 1 %.
MEANS_OVER_5, SENSITIVE = 4.0, (4.0, 60.0)


def lille_types(draw):
    """Returns node types of the shipped platform, with absolute paths, and their kernel files."""
    file = ROOT / "platforms/lille.json"
    types = json.loads(file.read_text())["node_types"]
    chosen = draw.sample(["chetemi", "chifflet"], draw.choice([1, 2]))
    out, kernels = {}, {}
    for name in chosen:
        kernels[name] = json.loads((file.parent / types[name]["kernels"]).resolve().read_text())
        out[name] = dict(types[name], kernels=f"{name}.json")
    return out, kernels


def cycle_time_types(draw):
    return {f"type{i}": {"cores": draw.randint(1, 8), "cycle_time_s": 10 ** draw.uniform(-4, -2),
                         "nic": {"bandwidth_Bps": 10 ** draw.uniform(8, 10), "latency_s": 1e-5}}
            for i in range(draw.randint(1, 3))}, {}


def distribution_of(draw, nodes):
    """Returns a distribution whose map does not change with the machine."""
    kind = draw.choice(["block-cyclic", "1d1d", "1d1d-c"])
    if kind == "block-cyclic":
        return {"type": kind}
    speeds = [speed for n in nodes for speed in [round(draw.uniform(1, 10), 2)] * n["count"]]
    fixed = {} if kind == "1d1d" else {"rates": [s * 1e9 for s in speeds], "transfer_s": 1e-3}
    return {"type": kind, "speeds": speeds, **fixed}


def scenario_of(draw):
    """Returns a scenario, its platform, and its kernel files by name."""
    shipped = draw.random() < 0.5
    types, kernels = lille_types(draw) if shipped else cycle_time_types(draw)
    nodes = [{"type": t, "count": draw.randint(1, 4)} for t in types]
    scenario = {
        "format": "factosim-scenario", "version": 1, "seed": draw.randint(0, 1000),
        "platform": {"file": "platform.json", "nodes": nodes},
        "application": {"type": draw.choice(["lu", "cholesky", "gemm"] + ([] if shipped else ["qr"])),
                        "nt": draw.randint(2, 14), "nb": 960},
        "distribution": distribution_of(draw, nodes),
        "scheduler": {"type": draw.choice(POLICIES)},
        "network": {"model": draw.choice(["maxmin", "simgrid", "constant"]),
                    "broadcast": draw.choice(["point-to-point", "binomial", "ring", "cooperative"])}}
    platform = {"format": "factosim-platform", "version": 1, "node_types": types,
                "network": {"provenance": "drawn"}}
    return scenario, platform, kernels


def changed(change, scenario, platform, kernels, draw):
    """Returns copies of all three after the change."""
    scenario, platform, kernels = json.loads(json.dumps([scenario, platform, kernels]))
    if change == "twice the bandwidth":
        for node in platform["node_types"].values():
            node["nic"]["bandwidth_Bps"] *= 2
    elif change == "a faster type":
        name = draw.choice(sorted(platform["node_types"]))
        if "cycle_time_s" in platform["node_types"][name]:
            platform["node_types"][name]["cycle_time_s"] /= FASTER
        else:
            for timings in kernels[name]["kernels"].values():
                for timing in timings:
                    for key in ("mean_s", "deviation_s"):
                        if key in timing:
                            timing[key] /= FASTER
    elif change == "no overheads":
        scenario["runtime"] = {key: 0 for key in COSTS}
    return scenario, platform, kernels


def simulate(program, runs, scenario, platform, kernels):
    """Returns the result; its message if that combination cannot be run."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in [("scenario", scenario), ("platform", platform), *kernels.items()]:
            (folder / f"{name}.json").write_text(json.dumps(text))
        done = subprocess.run([program, "run", folder / "scenario.json", "--json", "--sensitivity", str(runs)],
                              capture_output=True, text=True)
    if done.returncode in (2, 4):
        return done.stderr
    if done.returncode != 0:
        sys.exit(f"a scenario failed with {done.returncode}: {done.stderr}\n{json.dumps(scenario)}")
    return json.loads(done.stdout)


def record(program, seed, runs):
    """Returns what is kept of the first scenario of that seed that can be run and of its changes."""
    draw = random.Random(seed)
    for _ in range(20):  # not every distribution can be made for every machine
        drawn = scenario_of(draw)
        before = simulate(program, runs, *drawn)
        if not isinstance(before, str):
            break
    else:
        sys.exit(f"no scenario of seed {seed} can be run: {before}")
    out = {"seed": seed, "policy": drawn[0]["scheduler"]["type"], "nt": drawn[0]["application"]["nt"],
           "application": drawn[0]["application"]["type"], "tasks": before["tasks"],
           "workers": sum(n["workers"] for n in before["nodes"]), "nodes": len(before["nodes"]),
           "runs": {"before": kept(before)}}
    for change in CHANGES:
        after = simulate(program, runs, *changed(change, *drawn, draw))
        if isinstance(after, str):
            sys.exit(f"scenario {seed} runs no more after: {change}: {after}")
        out["runs"][change] = kept(after)
    return out


def kept(result):
    return {"makespan": result["makespan_s"], "values": result["sensitivity"]["makespan_s"]["values"],
            "relative": result["sensitivity"]["relative"]}


def half_width(a, b):
    """Half the width of the 95 % interval of the difference between one further run of each, as `compare` has it.
    Student's t by a normal quantile and its first terms (Abramowitz and Stegun 26.7.5)."""
    parts = [(statistics.variance(v) * (1 + 1 / len(v)), len(v) - 1) for v in (a, b)]
    variance = sum(v for v, _ in parts)
    if variance == 0:
        return 0.0
    freedom = variance ** 2 / sum(v * v / f for v, f in parts)
    z = 1.959964
    t = z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
    return t * math.sqrt(variance)


def share(part, whole):
    return 100 * part / whole if whole else 0.0


def anomalies(records):
    """Prints the table and returns the share of means that are longer by over 5 %."""
    print(f"{'':<22}{'single runs longer by over':>34}{'':>10}{'means longer by over':>32}")
    print(f"{'change':<22}{'pairs':>7}{'1 %':>9}{'5 %':>9}{'explained':>11}{'worst':>9}{'1 %':>13}{'5 %':>9}{'worst':>9}")
    total = collections.Counter()
    for change in CHANGES:
        single, means, explained = [], [], 0
        for r in records:
            a, b = r["runs"]["before"], r["runs"][change]
            single.append(b["makespan"] / a["makespan"] - 1)
            means.append(statistics.mean(b["values"]) / statistics.mean(a["values"]) - 1)
            difference = b["makespan"] - a["makespan"]
            same_sign = statistics.mean(b["values"]) >= statistics.mean(a["values"])
            if single[-1] > 0.05 and (difference <= half_width(a["values"], b["values"]) or not same_sign):
                explained += 1
        count = lambda values, limit: sum(v > limit for v in values)
        n, over = len(records), count(single, 0.05)
        total.update(pairs=n, means=count(means, 0.05))
        print(f"{change:<22}{n:>7}{share(count(single, 0.01), n):>7.1f} %{share(over, n):>7.1f} %{explained:>5} of {over:<3}"
              f"{100 * max(single):>6.1f} %{share(count(means, 0.01), n):>11.1f} %{share(count(means, 0.05), n):>7.1f} %"
              f"{100 * max(means):>7.1f} %")
    return share(total["means"], total["pairs"])


def sensitivities(records):
    print(f"\n{'a single run is worth +-':<26}{'scenarios':>10}{'median':>9}{'90 %':>9}{'most':>9}{'over 1 %':>10}{'over 5 %':>10}")
    groups = [("all", lambda r: True)]
    groups += [(f"policy {p}", lambda r, p=p: r["policy"] == p) for p in POLICIES]
    for low, high in ((0, 5), (5, 20), (20, 100), (100, math.inf)):
        groups.append((f"{low} to {high:g} tasks a worker", lambda r, a=low, b=high: a <= r["tasks"] / r["workers"] < b))
    for name, member in groups:
        values = sorted(r["runs"]["before"]["relative"] for r in records if member(r))
        if not values:
            continue
        at = lambda q: 100 * values[min(len(values) - 1, int(q * len(values)))]
        over = lambda limit: share(sum(v > limit for v in values), len(values))
        print(f"{name:<26}{len(values):>10}{at(0.5):>7.2f} %{at(0.9):>7.2f} %{at(1):>7.1f} %{over(0.01):>8.0f} %{over(0.05):>8.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--scenarios", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--records")
    a = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        seeds = [a.seed * 1_000_000 + i for i in range(a.scenarios)]
        records = list(pool.map(lambda seed: record(a.program, seed, a.runs), seeds))
    if a.records:
        pathlib.Path(a.records).write_text("".join(json.dumps(r) + "\n" for r in records))
    means = anomalies(records)
    sensitivities(records)
    sensitive = share(sum(r["runs"]["before"]["relative"] > 0.01 for r in records), len(records))
    if a.check and (means > MEANS_OVER_5 or not SENSITIVE[0] <= sensitive <= SENSITIVE[1]):
        sys.exit(f"other than documented: {means:.2f} % of means longer, {sensitive:.0f} % of scenarios sensitive")


if __name__ == "__main__":
    main()
