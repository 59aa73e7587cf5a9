#!/usr/bin/env python3
"""Published figures of MPI and collective libraries between nodes against simulated messages, on six machines.

    tests/machines/messages.py PROGRAM [--check]

Each figure is the makespan of a graph of tasks that take no time: all that is sent is written at the start, and read elsewhere. Nothing is fitted to these figures: cards and networks are those of the
presets. Prints a table; --check exits with 1 if one is farther off than the table of guide/machines_of_today.md says (column "known": most that the simulated figure may differ, in percent).
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

MIB = 1 << 20
LUMI = "OSU, tests of LUMI's software stack (ReFrame)"
CSCS = "eth-cscs/cscs-reframe-tests"
AION = "OSU, Vaibhavkkm/hpc-final-project"
COSTS = ("submission", "push", "fetch", "progress", "pinning", "wont_use", "gpu_queue", "gpu_malloc", "gpu_free")
# Preset of the cluster or of its network, node type, GPUs (none: from and to RAM) with those at cards first.
MACHINES = {
    "LUMI-G": ({"file": "lumi-g"}, "mi250x", (1, 3, 5, 7, 0, 2, 4, 6), {}),
    "LUMI-C": ({"file": "lumi-c"}, "epyc-7763", (), {}),
    "Alps, GH200": ({"file": "alps"}, "gh200x4", (0, 1, 2, 3), {}),
    "Alps, MI300A": ({"file": "mi300a"}, "mi300a", (0, 1, 2, 3), {}),
    "two DGX H100": ({"file": "h100x8"}, "h100x8", tuple(range(8)), {}),
    "Aion": ({"file": "xeon-8480"}, "xeon-8480", (), {"preset": "aion"}),
}


def seconds(program, machine, pairs, size, pieces=1, small=False):
    """Returns the time in which places ((node, GPU or None) to (node, GPU or None)) send each other `pieces` messages of `size` bytes, all posted at once."""
    platform, node, _, network = MACHINES[machine]
    lines = [{"format": "factosim-graph", "version": 1, "name": "messages", "nb": 1}]
    worker = {place: "cpu" if place[1] is None else f"cuda{place[1]}" for pair in pairs for place in pair}
    lines += [{"kernel": f"on_{name}", "flops": 1, f"{name}_s": 1e-9} for name in sorted(set(worker.values()))]
    lines += [{"data": f"d{i}.{k}", "bytes": size} for i in range(len(pairs)) for k in range(pieces)]
    for end, mode, local in ((0, "W", None), (1, "R", True), (1, "R", False)):  # copies inside a node do not wait for messages
        for place in dict.fromkeys(pair[end] for pair in pairs):
            numbers = [i for i, (a, b) in enumerate(pairs) if (a, b)[end] == place and local in (None, a[0] == b[0])]
            if numbers:
                lines.append({"task": f"{mode}{place[0]}.{place[1]}.{local}", "kernel": f"on_{worker[place]}", "node": place[0],
                              "accesses": [[f"d{i}.{k}", mode] for i in numbers for k in range(pieces)]})
    nodes = 1 + max(place[0] for pair in pairs for place in pair)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "scenario.json").write_text(json.dumps({
            "platform": {**platform, "nodes": [{"type": node, "count": nodes}]}, "scheduler": {"type": "eager"},
            "application": {"type": "graph", "file": "graph.jsonl", "placement": "file"},
            "runtime": {**{f"{cost}_cost_s": 0 for cost in COSTS}, "fetch_limit": 1000},
            "network": {"model": "maxmin", "gpu_direct": "both", "rendezvous": not small, "max_sends_per_node": 1000000, **network}}))
        done = subprocess.run([program, "run", folder / "scenario.json", "--json", "-q"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return json.loads(done.stdout)["makespan_s"]


def gpu(machine, number=0):
    return MACHINES[machine][2][number] if MACHINES[machine][2] else None


def pair_bandwidth(program, machine, pairs=1, both=False):
    """osu_bw, osu_bibw, osu_mbw_mr: a window of messages of 4 MiB between pairs of processes on two nodes; GB/s of all together."""
    ends = [((0, gpu(machine, i)), (1, gpu(machine, i))) for i in range(pairs)]
    ends += [(b, a) for a, b in ends] if both else []
    window = 64 // pairs
    return len(ends) * window * 4 * MIB / seconds(program, machine, ends, 4 * MIB, window) / 1e9


def latency(program, machine, size):
    """osu_latency: half of a ping-pong, in us."""
    return 1e6 * seconds(program, machine, [((0, gpu(machine)), (1, gpu(machine)))], size, small=size < 65536)


def ring(program, machine):
    """sendrecv_perf: each GPU of two nodes sends to the next; GB/s of the slowest."""
    gpus = [(n, g) for n in range(2) for g in sorted(MACHINES[machine][2])]
    return 256 * MIB / seconds(program, machine, list(zip(gpus, gpus[1:] + gpus[:1])), 256 * MIB) / 1e9


def all_to_all(program, machine, pieces=1):
    """alltoall_perf: each GPU of two nodes sends to each other; bus bandwidth, GB/s."""
    gpus = [(n, g) for n in range(2) for g in sorted(MACHINES[machine][2])]
    pairs = [(a, b) for a in gpus for b in gpus if a != b]
    return (len(gpus) - 1) * 96 * MIB / seconds(program, machine, pairs, 96 * MIB // pieces, pieces) / 1e9


# machine, what, published, figure, unit, percent by which the simulated one is known to differ at most, source
ROWS = [
    ("LUMI-G", "osu_bw, die to die at the cards, 4 MiB", 23.82, pair_bandwidth, "GB/s", 5, LUMI),
    ("LUMI-G", "osu_mbw_mr, 8 pairs of dies", 95.0, lambda p, m: pair_bandwidth(p, m, 8), "GB/s", 10, LUMI),
    ("LUMI-G", "osu_latency, die to die at the cards, 8 B", 2.5, lambda p, m: latency(p, m, 8), "us", 25, LUMI),
    ("LUMI-G", "RCCL sendrecv, 16 dies of 2 nodes (measured on Alps)", 13.5, ring, "GB/s", 40, CSCS),
    ("LUMI-C", "osu_bw, 4 MiB", 24.044, pair_bandwidth, "GB/s", 5, LUMI),
    ("LUMI-C", "osu_latency, 8 B", 1.8, lambda p, m: latency(p, m, 8), "us", 15, LUMI),
    ("Alps, GH200", "osu_bw, GPU to GPU, 4 MiB", 24.0, pair_bandwidth, "GB/s", 5, CSCS),
    ("Alps, GH200", "osu_latency, GPU to GPU, 256 B", 3.75, lambda p, m: latency(p, m, 256), "us", 50, CSCS),
    ("Alps, GH200", "osu_latency, GPU to GPU, 4 MiB", 180.0, lambda p, m: latency(p, m, 4 * MIB), "us", 5, CSCS),
    ("Alps, GH200", "NCCL sendrecv, 8 GPUs of 2 nodes", 24.0, ring, "GB/s", 20, CSCS),
    ("Alps, MI300A", "RCCL sendrecv, 8 APUs of 2 nodes", 24.0, ring, "GB/s", 25, CSCS),
    ("two DGX H100", "NCCL, GPU to GPU", 47.0, pair_bandwidth, "GB/s", 5, "NVIDIA/nccl-tests #290, 46 to 48"),
    ("two DGX H100", "NCCL all-to-all, bus bandwidth of a GPU", 94.0, all_to_all, "GB/s", 20, "NVIDIA/nccl-tests #130, twice a card's: 92 to 96"),
    ("Aion", "osu_bw, 1 MiB", 12.32, pair_bandwidth, "GB/s", 5, AION),
    ("Aion", "osu_latency, 8 KiB", 3.93, lambda p, m: latency(p, m, 8192), "us", 60, AION),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    given, differs = parser.parse_args(), 0
    program = given.program.resolve()
    print("| machine | measured | published | simulated | difference | source |\n|---|---|---|---|---|---|")
    for machine, what, published, figure, unit, known, source in ROWS:
        found = figure(program, machine)
        off = 100 * (found / published - 1)
        print(f"| {machine} | {what} | {published:g} {unit} | {found:.3g} | {off:+.0f} % | {source} |", flush=True)
        if given.check and abs(off) > known:
            differs = 1
            print(f"{machine}, {what}: {off:+.1f} % is more than the {known} % that are known")
    return differs


if __name__ == "__main__":
    sys.exit(main())
