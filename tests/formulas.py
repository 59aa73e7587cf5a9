#!/usr/bin/env python3
"""Runs whose tasks come from formulas, against runs of the stored task graph, on random scenarios.

    tests/formulas.py PROGRAM [--scenarios 200] [--first 0] [--keep DIR]

Draws scenarios whose application has formulas (LU, Cholesky, gemm), with their variants, wires and costs of communication threads:
those of tests/scaling.py, and clusters of nodes with GPUs or NUMA nodes of all shipped types, alone and mixed with others, with small GPU
memories, eviction policies, and rules of both versions of StarPU for page-locked receives. Simulates each with both values of "task_graph". result.json
(without what is measured, the options, and the diagnosis, which needs all dates) and run.trace must have equal bytes. A run that fails must fail alike.
Prints the counts and each difference; exits with 1 if there is one.
"""
import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scaling

VARIANTS = {"lu": ["starpu", "chameleon"], "cholesky": ["starpu", "chameleon"], "gemm": ["outer-product"]}
POLICIES = [p for p in scaling.POLICIES if p != "heft"]
EVICTIONS = ["default", "lru", "fifo", "luf", "belady"]
# Shipped node types that have timings for one size of tiles; those of lille have rates for all sizes.
LILLE = {"chetemi": "lille", "chifflet": "lille", "chifflot": "lille"}
TYPES = {960: {**LILLE, "mirage": "mirage", "sirocco-k40m": "sirocco-k40m"}, 1240: {**LILLE, "sirocco-p100": "sirocco-p100"},
         1600: {**LILLE, "sirocco-v100": "sirocco-v100"}, 320: LILLE}
CHUNK = 32 * 1024 * 1024  # bytes, of GPU memory from which small tiles are cut
LEFT_OUT = ["simulation", "diagnosis", "provenance"]


def add_numa_node(described):
    """Gives the type a second NUMA node, joined to all other memory nodes by links of its own."""
    memories = ["ram", "ram1"] + [f"cuda{g}" for g in range(len(described.get("gpus", [])))]
    described["numa_nodes"] = 2
    described["bus"] = {"links": [{"name": f"{a}-{b}", "bandwidth_Bps": 12e9, "latency_s": 1e-6} for a, b in itertools.permutations(memories, 2)],
                        "routes": [{"from": a, "to": b, "links": [f"{a}-{b}"]} for a, b in itertools.permutations(memories, 2)]}


def several_memories(draw):
    """Returns a platform of up to three types, the first of which has several memory nodes, and the size of its tiles."""
    nb = draw.choice([960, 960, 960, 1240, 1600, 320])
    types = {}
    for name in draw.sample(sorted(TYPES[nb]), draw.randint(1, min(3, len(TYPES[nb])))):
        shipped = json.loads((scaling.ROOT / f"platforms/{TYPES[nb][name]}.json").read_text())
        types[name] = described = shipped["node_types"][name]
        described["kernels"] = pathlib.Path(described["kernels"]).name
        described.pop("subnet", None)
        if draw.random() < 0.2 or (len(types) == 1 and not described["gpus"]):
            add_numa_node(described)
        tiles = draw.choice([0, draw.randint(15, 20), draw.randint(21, 40)])  # 0: as shipped
        for gpu in described["gpus"]:
            if tiles:
                gpu["memory_bytes"] = int(max(tiles * 8 * nb * nb, CHUNK) / 0.9) + 1
    nodes = [{"type": name, "count": draw.randint(1, 3)} for name in types]
    draw.shuffle(nodes)
    return {"format": "factosim-platform", "version": 1, "node_types": types, "network": {}, "nodes": nodes}, nb


def options_of_memories(draw):
    """Options of the runtime system that only matter on nodes with several memory nodes."""
    out = {"version": draw.choice(["1.4", "1.5"]), "eviction": draw.choice(EVICTIONS), "gpu_pipeline": draw.choice([0, 1, 2, 4])}
    for key, values in {"late_receive_buffers": [True], "prefetch": [False], "wont_use": [False], "chunk_cache": [False], "parallel_sends": [True],
                        "gpus_wait_for_pinning": [True], "host_alloc_cost_s_per_MiB": [650e-6], "preallocated_ram_fraction": [0.5], "max_gpus": [1],
                        "communication_cores": [0], "oversubscribed_workers": [1], "prefetch_limit": [1, 5]}.items():
        if draw.random() < 0.2:
            out[key] = draw.choice(values)
    return out


def scenario_of(number):
    """Returns a scenario with its platform."""
    draw = random.Random(f"formulas {number}")
    scenario, platform, _ = scaling.drawn(number, list(VARIANTS))
    application = scenario["application"]
    kind = application["type"]
    application["variant"] = draw.choice(VARIANTS[kind])
    application["nt"] = draw.randint(1, 14)
    scenario["scheduler"]["type"] = draw.choice(POLICIES)
    if draw.random() < 0.65:
        platform, application["nb"] = several_memories(draw)
        scenario["distribution"] = scaling.random_distribution(draw, kind, sum(entry["count"] for entry in platform["nodes"]))
        scenario["runtime"] = {**scaling.COSTS, **options_of_memories(draw)}
        if scenario["runtime"].get("host_alloc_cost_s_per_MiB"):
            del scenario["runtime"]["pinning_cost_s"]
    scenario["network"]["wire"] = draw.choice(["shared", "fifo", "priority"])
    if draw.random() < 0.3:
        scenario["network"]["max_sends"] = draw.randint(1, 6)
    if draw.random() < 0.3:
        scenario["runtime"]["submission_cost_s"] *= draw.choice([100, 10000])
    return scenario, platform


def write(folder, scenario, platform):
    """Writes the scenario with its platform and kernel files."""
    folder.mkdir(parents=True)
    (folder / "scenario.json").write_text(json.dumps(scenario, indent=1))
    (folder / "platform.json").write_text(json.dumps(platform, indent=1))
    for described in platform["node_types"].values():
        if "kernels" in described:
            (folder / described["kernels"]).write_text((scaling.ROOT / "models/kernels" / described["kernels"]).read_text())


def simulate(program, folder, form):
    out = folder / form
    done = subprocess.run([program, "run", folder / "scenario.json", "--set", f"/application/task_graph={form}", "--set", "/outputs/trace=true", "--out", out],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr.strip(), None
    result = json.loads((out / "result.json").read_text())
    traces = sorted(out.glob("run.trace*"))
    return 0, json.dumps({key: value for key, value in result.items() if key not in LEFT_OUT}), [t.read_bytes() for t in traces]


def compare(program, number, folder):
    """Returns "equal", "failed alike", "refused", or what differs."""
    write(folder, *scenario_of(number))
    stored = simulate(program, folder, "stored")
    formulas = simulate(program, folder, "formulas")
    if formulas[0] == 2 and "needs the stored graph" in formulas[1]:
        return "refused"
    if stored[0] != formulas[0]:
        return f"exit {stored[0]} and {formulas[0]}: {stored[1][-300:]} | {formulas[1][-300:]}"
    if stored[0] != 0:
        return "failed alike" if stored[1] == formulas[1] else f"other messages: {stored[1]} | {formulas[1]}"
    if stored[1] != formulas[1]:
        a, b = json.loads(stored[1]), json.loads(formulas[1])
        return f"other results: {[key for key in a if a[key] != b.get(key)]}"
    if not stored[2]:
        return "no trace"
    return "equal" if stored[2] == formulas[2] else "other traces"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--scenarios", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as work:
        for number in range(given.first, given.first + given.scenarios):
            what = compare(given.program, number, (given.keep or pathlib.Path(work)) / str(number))
            if what not in ("equal", "failed alike", "refused"):
                print(f"{number}: {what}", flush=True)
                what = "different"
            counts[what] = counts.get(what, 0) + 1
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts.get("different", 0) or not counts.get("equal", 0) else 0


if __name__ == "__main__":
    sys.exit(main())
