#!/usr/bin/env python3
"""Holds `factosim check` against sound runs of unusual magnitudes: tests/attack/unusual.py PROGRAM [SEED [COUNT [KEEP]]]

Latencies from 0 and picoseconds to seconds, bandwidths from 1 B/s to 10^15, kernels from nanoseconds to years, tiles of one to
100 000 rows, overheads, noise, windows, orders and numbers of messages, both solvers of SimGrid. The program may refuse an input (2)
or find no solution (4), but every run that it makes must pass the audit. Prints the numbers of runs by network model and of
cases by exit code, and each refused run.
"""

import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import documents
from box import Box, broken_checks, options

spread = documents.spread


def latency(draw):
    return draw.choice([0, spread(draw, 1e-12, 1e-6), spread(draw, 1e-7, 1e-3), spread(draw, 1e-4, 10)])


def bandwidth(draw):
    return draw.choice([spread(draw, 1, 1e15), spread(draw, 1e5, 1e12), 1, 1e15])


def links_of(described):
    """Every link of a platform: NICs, buses, backbone, uplinks."""
    for node_type in described["node_types"].values():
        yield node_type["nic"]
        yield from node_type.get("bus", {}).get("links", [])
    network = described["network"]
    yield from (part for part in (network.get("backbone"), network.get("fat_tree", {}).get("uplink")) if part)


def platform(draw):
    described, files = documents.platform(draw)
    ordinary = draw.random() < 0.2  # some scales alone, others together
    for link in links_of(described):
        if not ordinary or draw.random() < 0.3:
            link["latency_s"] = latency(draw)
        if not ordinary or draw.random() < 0.3:
            link["bandwidth_Bps"] = bandwidth(draw)
    for node_type in described["node_types"].values():
        node_type["ram_bytes"] = 10 ** 17
        for gpu in node_type.get("gpus", []):
            gpu["memory_bytes"] = 10 ** 15
        if "cycle_time_s" in node_type and draw.random() < 0.7:
            node_type["cycle_time_s"] = spread(draw, 1e-12, 1e3)
        if draw.random() < 0.2:
            node_type["communication_thread"] = {"per_message_s": spread(draw, 1e-9, 1e-1), "per_byte_s": spread(draw, 1e-15, 1e-6),
                                                 "worker_share": draw.random()}
    scale = spread(draw, 1e-6, 1e6) if draw.random() < 0.7 else 1
    for timings in files.values():
        for rows in timings["kernels"].values():
            for row in rows:
                row["flops_per_second"] *= scale if draw.random() < 0.8 else spread(draw, 1e-4, 1e4)
    if draw.random() < 0.3:
        described["network"]["wire"] = draw.choice(["shared", "fifo", "priority"])
    return described, files


def scenario(draw, nodes):
    document, tiles = documents.scenario(draw, nodes, small=draw.random() < 0.7)
    document["application"]["nb"] = draw.choice([1, 2, 7, 32, 501, 4096, 20000, 100000])
    network = document["network"]
    network["model"] = draw.choice(["simgrid", "simgrid", "simgrid", "maxmin", "constant"])
    network["max_sends_per_node"] = draw.choice([1, 2, 10, 1000])
    if draw.random() < 0.2:
        network["max_sends"] = draw.choice([1, 3])
    for key in ("bandwidth_factor", "latency_factor"):
        if draw.random() < 0.2:
            network[key] = spread(draw, 1e-3, 1e3)
    if draw.random() < 0.2:
        network["nic"] = {"bandwidth_Bps": bandwidth(draw), "latency_s": latency(draw)}
    costs = ["submission_cost_s", "push_cost_s", "fetch_cost_s", "progress_cost_s", "wont_use_cost_s", "gpu_queue_cost_s",
             "gpu_malloc_cost_s", "gpu_free_cost_s", "pinning_cost_s"]
    document["runtime"] = {key: draw.choice([0, spread(draw, 1e-12, 1e-6), spread(draw, 1e-6, 1)])
                           for key in costs if draw.random() < 0.5}
    document["runtime"] |= {"unrolling": draw.choice(["whole", "pruned", "own"]), "gpu_pipeline": draw.randint(0, 4),
                            "max_submitted_tasks": draw.choice([0, 0, 3, 20]), "prefetch": draw.random() < 0.5}
    if draw.random() < 0.3:
        document["noise"] = {"distribution": draw.choice(["normal", "lognormal"]), "scale": draw.choice([0.001, 1, 3])}
    return document, tiles


def main():
    program, seed, count, keep = options(500)
    box = Box(program, keep)
    codes, models, refused = collections.Counter(), collections.Counter(), 0
    for number in range(count):
        draw = random.Random(f"{seed} {number}")
        box.reset()
        described, files = platform(draw)
        document, tiles = scenario(draw, sum(each["count"] for each in described["nodes"]))
        for name, content in {"p.json": described, "s.json": document, **files}.items():
            box.write(name, json.dumps(content))
        box.write("map.txt", tiles)
        arguments = ["run", box.path("in", "s.json"), "--out", box.path("out", "r")]
        outcome = box.run(arguments)
        codes[outcome.code] += 1
        if outcome.code == 0:
            models[document["network"]["model"]] += 1
            checked = box.run(["check", "--json", box.path("out", "r")])
            if checked.code != 0:
                outcome.findings.append(f"check says {checked.code}: {broken_checks(checked)}")
        if outcome.findings:
            refused += 1
            print(f"{seed} {number}: {'; '.join(outcome.findings)} {outcome.err[-300:]!r}", flush=True)
            box.save(f"unusual-{seed}-{number}", arguments, outcome)
    print(f"{count} cases, seed {seed}: {sum(models.values())} runs, {refused} with findings")
    print("  runs: " + ", ".join(f"{n} x {model}" for model, n in sorted(models.items())))
    print("  exit codes: " + ", ".join(f"{n} x {code}" for code, n in sorted(codes.items())))
    box.close()
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
