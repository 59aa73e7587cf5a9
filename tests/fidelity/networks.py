#!/usr/bin/env python3
"""Compares simulated messages on usual networks with published measurements.

usage: networks.py PROGRAM [--check]

Prints a table: what was measured, by whom, the published and the simulated figure. Each figure is the makespan of a task
graph whose tasks take no time: one writes on one node, others read elsewhere. --check: without the all-to-all exchanges; exits
with 1 if a figure is out of the published range, or more than 3 % (of the largest bandwidth) off."""

import argparse
import json
import pathlib
import subprocess
import tempfile

DE_SENSI = "De Sensi et al., SC24"
UCCL = "uccl-project/uccl #956"
EESSI = "EESSI/software-layer #716"
OSU_BW = {64: 15.3, 128: 27.8, 256: 44.4, 512: 61.1, 1024: 73.7, 2048: 82.9, 4096: 87.5, 32768: 93.1}  # GB/s by KiB
MIB = 1 << 20
# 1024 GPUs: the network, nodes that take part, and every how many of the machine's they are, to be in most groups; odd,
# since the numbers of nodes choose cards.
ALL_TO_ALL = (("lumi-g", 128, 23), ("alps", 256, 9))


def makespan(program, network, nodes, messages, model="maxmin", **options):
    """Returns the seconds that messages (from, to, bytes) take that start together; bytes 0: a dependency."""
    lines, reads = [{"format": "factosim-graph", "version": 1, "name": "messages", "nb": 1}], {}
    writes = {}
    for i, (source, destination, size) in enumerate(messages):
        if size > 0:
            lines.append({"data": f"d{i}", "bytes": size})
        writes.setdefault(source, []).append((i, size))
        reads.setdefault(destination, []).append((i, size, source))
    for source, sent in writes.items():
        lines.append({"task": f"w{source}", "kernel": "write", "node": source, "cpu_s": 0,
                      "accesses": [[f"d{i}", "W"] for i, size in sent if size > 0]})
    for destination, received in reads.items():
        lines.append({"task": f"r{destination}", "kernel": "read", "node": destination, "cpu_s": 0,
                      "accesses": [[f"d{i}", "R"] for i, size, _ in received if size > 0],
                      "depends_on": [f"w{source}" for _, size, source in received if size == 0]})
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "platform.json").write_text(json.dumps({
            "format": "factosim-platform", "version": 1, "network": network,
            "node_types": {"node": {"cores": 1, "cycle_time_s": 1, "nic": {"bandwidth_Bps": 93.1e9, "latency_s": 0}}},
            "nodes": [{"type": "node", "count": nodes}]}))
        costs = ("submission", "push", "fetch", "progress", "pinning")
        (folder / "scenario.json").write_text(json.dumps({
            "format": "factosim-scenario", "version": 1, "name": "messages", "platform": "platform.json",
            "application": {"type": "graph", "file": "graph.jsonl", "placement": "file"},
            "scheduler": {"type": "eager"},
            "runtime": {"communication_cores": 0, **{f"{cost}_cost_s": 0 for cost in costs}},
            "network": {"model": model, "wire": "shared", "rendezvous": False, "max_sends_per_node": 1000000, **options}}))
        done = subprocess.run([program, "run", folder / "scenario.json", "--out", folder / "out"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads((folder / "out" / "result.json").read_text())["makespan_s"]


def rows(program, with_all_to_all):
    """Yields what was measured, by whom, the published and the simulated figure, and whether they agree."""
    lumi = {"preset": "lumi-g"}
    latency = [makespan(program, lumi, 200, [(0, to, 0)]) for to in (1, 16, 128)]
    seconds = [makespan(program, lumi, 200, [(0, to, 1 << 30)]) for to in (1, 16, 128)]
    yield "Slingshot: one card, large message", UCCL, "24.3 GB/s", f"{(1 << 30) / seconds[0] / 1e9:.1f} GB/s", \
        abs((1 << 30) / seconds[0] / 24.3e9 - 1) < 0.03
    yield ("Slingshot: bandwidth lost to another group", DE_SENSI, "under 1 %",
           f"{100 * (seconds[2] / seconds[0] - 1):.3f} %", seconds[2] < 1.01 * seconds[0])
    yield ("Slingshot: latency added by another switch", DE_SENSI, "under 30 %",
           f"{100 * (latency[1] / latency[0] - 1):.0f} %", latency[1] < 1.3 * latency[0])
    yield ("Slingshot: latency added by another group", DE_SENSI, "under 30 %",
           f"{100 * (latency[2] / latency[0] - 1):.0f} %", latency[2] < 1.3 * latency[0])
    two = makespan(program, lumi, 200, [(0, 1, 2 * MIB)], rendezvous=True)
    yield ("Slingshot: MPI, 2 MiB", "ofiwg/libfabric #11392", "22.6 GB/s", f"{2 * MIB / two / 1e9:.1f} GB/s",
           abs(2 * MIB / two / 22.6e9 - 1) < 0.03)
    # Cards 0 of nodes 0 and 4 are at the same leaf, that of 400 is in another group.
    leonardo = [makespan(program, {"preset": "leonardo"}, 401, [(0, to, 0)]) for to in (4, 400)]
    yield ("Leonardo: latency to another group over that to the same leaf", DE_SENSI + ", between GPUs, input", "about 2",
           f"{leonardo[1] / leonardo[0]:.2f}", abs(leonardo[1] / leonardo[0] - 2) < 0.1)
    size = 4 * MIB
    for name, used, stride in ALL_TO_ALL if with_all_to_all else ():
        for apart, where in ((1, "consecutive"), (stride, f"one in {stride}")):
            nodes = range(0, apart * used, apart)
            exchange = [(a, b, size) for a in nodes for b in nodes if a != b]
            span = makespan(program, {"preset": name}, nodes[-1] + 1, exchange)
            share = (used - 1) * size / (4 * 24.3e9) / span
            yield (f"all-to-all between {used} nodes of {name} ({where}), of the cards' bandwidth", DE_SENSI + ", NCCL",
                   "about 75 %", f"{100 * share:.0f} %", True)
    for kib, published in OSU_BW.items():
        size = kib * 1024
        others = {1024 * k: 1e9 * rate for k, rate in OSU_BW.items() if k != kib}
        curves = ({"half_bandwidth_bytes": 0.28e6},
                  {"bytes": list(others), "bandwidth_Bps": list(others.values())})
        by_half, by_others = (
            size / makespan(program, {"efficiency": curve}, 2, [(0, 1, size)]) / 1e9 for curve in curves)
        yield (f"MPI over 4 NVLinks, {kib} KiB", EESSI, f"{published} GB/s",
               f"{by_half:.1f} GB/s; {by_others:.1f} from the other sizes",
               abs(by_half - published) < 0.03 * max(OSU_BW.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print("| measured | by | published | simulated |\n|---|---|---|---|")
    agree = True
    for *row, agrees in rows(options.program, not options.check):
        print("| " + " | ".join(row) + " |", flush=True)
        agree = agree and agrees
    if options.check and not agree:
        raise SystemExit("figures that are out of range: see above")


main()
