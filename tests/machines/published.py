#!/usr/bin/env python3
"""Published figures of machines of today against the simulation of their presets.

    tests/machines/published.py PROGRAM [--bandwidths] [--runs] [--check]

--bandwidths: concurrent copies of 1 GB inside a node, as a graph of tasks each of which can run on one GPU only. "input" marks figures that the preset was made from.
--runs: factorizations and products. Prints tables; nothing is fitted to them. --check: only bandwidths; exits with 1 if one that the presets have is more than 10 % off.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 1_000_000_000


def simulate(program, folder, scenario):
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario))
    done = subprocess.run([program, "run", path, "--json", "-q"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def copies(program, machine, pairs):
    """Returns the time in which all pairs of memories ("ram" or the number of a GPU) have copied a datum from the first to the second at once."""
    lines = [{"format": "factosim-graph", "version": 1, "name": "copies", "nb": 1}]
    places = sorted({place for pair in pairs for place in pair}, key=str)
    for place in places:
        lines.append({"kernel": f"on_{place}", "flops": 1, ("cpu_s" if place == "ram" else f"cuda{place}_s"): 1e-9})
    for i in range(len(pairs)):
        lines.append({"data": f"d{i}", "bytes": SIZE})
    number = 0
    for place in places:
        # Data are written where they start; then each place reads all that it gets by one task.
        written = [[f"d{i}", "W"] for i, (source, _) in enumerate(pairs) if source == place]
        if written:
            lines.append({"task": (number := number + 1), "kernel": f"on_{place}", "accesses": written})
    for place in places:
        read = [[f"d{i}", "R"] for i, (_, target) in enumerate(pairs) if target == place]
        if read:
            lines.append({"task": (number := number + 1), "kernel": f"on_{place}", "accesses": read})
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        (folder / "copies.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        return simulate(program, folder, {"application": {"type": "graph", "file": "copies.jsonl"}, "platform": machine, "scheduler": {"type": "eager"}})["makespan_s"]


def everyone(gpus):
    return [(a, b) for a in range(gpus) for b in range(gpus) if a != b]


# machine, what copies, pairs, copies whose bandwidths are summed (0: of one), published in GB/s, source, least and most (None: known to differ)
BANDWIDTHS = [
    ("a100x8", "one pair alone", [(0, 1)], 0, "about 250", "StarPU issue 33, input", (250, 250)),
    ("a100x8", "a pair, all 8 GPUs to all", everyone(8), 0, "under 100", "StarPU issue 33", (0, 100)),
    ("a100x8", "one pair, both directions", [(0, 1), (1, 0)], 2, "430 to 520", "NVIDIA/nccl-tests 149", (430, 520)),
    ("a100x8", "RAM to one GPU", [("ram", 0)], 0, "25", "NVIDIA/nvbandwidth 53, input", (25, 25)),
    ("a100x8", "RAM to one GPU and back at once, sum", [("ram", 0), (0, "ram")], 2, "36 (11 + 25)", "NVIDIA/nvbandwidth 53, input", (36, 36)),
    ("a100x4", "one pair alone", [(0, 1)], 0, "93.1 (MPI), 72 (NCCL)", "EESSI/software-layer 716, input; NVIDIA/nccl-tests 331", (93.1, 93.1)),
    ("h100x8", "one pair alone", [(0, 1)], 0, "376 to 380", "NVIDIA/nccl 1264, input", (376, 380)),
    ("h100x8", "one pair, both directions", [(0, 1), (1, 0)], 2, "740 to 773", "NVIDIA/nccl 1264", None),
    ("gh200x4", "RAM to one GPU", [("ram", 0)], 0, "346", "NVIDIA/nvbandwidth 23, input", (346, 346)),
    ("mi250x", "dies of a card", [(0, 1)], 0, "148 (writes), about 150 (MPI)", "arXiv 2302.14827, input; OSU on LUMI", (148, 150)),
    ("mi250x", "dies joined by one link", [(0, 2)], 0, "38", "arXiv 2302.14827, input", (38, 38)),
    ("mi300a", "one pair alone", [(0, 1)], 0, "89", "design note of an NTT code, input", (89, 89)),
    ("mi300a", "all 4 APUs to all, sum", everyone(4), 12, "418 (copies), 697 (stores)", "design note of an NTT code, input", (418, 418)),
]


def nodes_of(name, base, gpus, count, grid):
    return {"platform": {"file": base, "node_types": {name: {"of": base, "gpus": gpus}}, "nodes": [{"type": name, "count": count}]},
            "distribution": {"type": "block-cyclic", "p": grid[0], "q": grid[1]}}


def frontier(nt):
    """Returns Cholesky of N = 27.24 million in double precision on 9025 nodes of Frontier, each as one worker with the gemm rate of its 8 dies."""
    nb = round(27.24e6 / nt)
    node = {"cycle_time_s": 2 * nb**3 / (8 * 38e12), "nic": {"bandwidth_Bps": 24.3e9, "latency_s": 1e-6}, "nics": 4, "estimate": True}
    return {"application": {"type": "cholesky", "nt": nt, "nb": nb}, "platform": {"file": "mi250x", "node_types": {"frontier": node}, "nodes": [{"type": "frontier", "count": 9025}]},
            "distribution": {"type": "block-cyclic", "p": 95, "q": 95}}


# what, scenario, published seconds, source
RUNS = [
    ("Cholesky N = 16 384 on a die of an MI250X", {"application": {"type": "cholesky", "nt": 16, "nb": 1024}, **nodes_of("die", "mi250x", 1, 1, (1, 1))}, (0.319, 0.319),
     "DPLASMA, ICLDisco/dplasma 153"),
    *((f"product N = {n} on {nodes} nodes of Frontier", {"application": {"type": "gemm", "nt": round(n / 960), "nb": 960}, **nodes_of("node", "mi250x", 8, nodes, grid)},
       (seconds, seconds), "SLATE, icl-utk-edu/slate 76")
      for n, nodes, grid, seconds in ((28000, 4, (2, 2), 0.290), (56000, 4, (2, 2), 1.116), (56000, 16, (4, 4), 0.789), (112000, 16, (4, 4), 2.963), (168000, 16, (4, 4), 6.542))),
    *((f"Cholesky N = {n} on 4 nodes of 2 EPYC 7742", {"application": {"type": "cholesky", "nt": n // 512, "nb": 512}, **nodes_of("eiger", "a100x8", 0, 4, (2, 2))}, seconds,
       "DLA-Future, eth-cscs/DLA-Future 999") for n, seconds in ((20480, (1.02, 1.08)), (40960, (3.72, 3.97)))),
    # N^3 / 3 operations at the published 0.976 EFlop/s
    ("Cholesky N = 27.24 million on 9025 nodes of Frontier, mixed precision; here double", frontier(400), (6903, 6903), "PaRSEC, arXiv 2408.04440"),
]

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--bandwidths", action="store_true")
    parser.add_argument("--runs", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    program, differs = given.program.resolve(), 0
    if given.bandwidths or not given.runs:
        print("| preset | copies | published, GB/s | simulated | source |\n|---|---|---|---|---|")
        for machine, what, pairs, summed, published, source, limits in BANDWIDTHS:
            rate = max(summed, 1) * SIZE / copies(program, machine, pairs) / 1e9
            print(f"| {machine} | {what} | {published} | {rate:.1f} | {source} |", flush=True)
            if limits and not 0.9 * limits[0] <= rate <= 1.1 * limits[1]:
                differs = 1
                print(f"{machine}, {what}: {rate:.1f} GB/s is more than 10 % off")
    if given.check:
        return differs
    if given.runs or not given.bandwidths:
        print("\n| run | published, s | simulated, s | difference | source |\n|---|---|---|---|---|")
        for what, scenario, (least, most), source in RUNS:
            with tempfile.TemporaryDirectory() as work:
                seconds = simulate(program, pathlib.Path(work), {**scenario, "scheduler": {"type": "dmdas"}, "network": {"model": "maxmin"}})["makespan_s"]
            text = f"{least}" if least == most else f"{least} to {most}"
            print(f"| {what} | {text} | {seconds:.3f} | {100 * (2 * seconds / (least + most) - 1):+.0f} % | {source} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
