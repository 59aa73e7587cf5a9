#!/usr/bin/env python3
"""Compares eviction and scheduling policies where GPU memories are too small, on the problems of three papers.

  tests/fidelity/eviction_order.py FACTOSIM

Gonthier, Marchal, Thibault: IPDPS 2022, FGCS 143 (2023); Gonthier, JPDC (2025). As in the authors' public scripts: tiles of
960 in single precision, 500 MB on each GPU, no workers on cores, 5 tasks in a GPU's pipeline, 10 in the queue of darts, no
cost of allocation, darts without almost free tasks where products are in one piece; products of 960 N x 3840 by 3840 x 960 N in
one piece (2D) and in 4 (3D), Cholesky, and LU. The papers' model of the 2D product leaves its results out ("inputs"). Their machine
(gemini, V100s) has no public measurements here: the buses are sirocco's, and tasks last their operations over 13 TFlop/s,
1 TFlop/s on the diagonal (assumed). Prints GFlop/s by working set over the memory of all GPUs, and how often the papers'
orders hold.
"""
import json
import subprocess
import sys
import tempfile

TILE = 960
MEMORY = 500 << 20
POLICIES = [("eager", "lru"), ("dmdar", "lru"), ("dmdar", "fifo"), ("dmdar", "luf"), ("dmdar", "belady"),
            ("darts", "lru"), ("darts", "fifo"), ("darts", "luf"), ("darts", "belady")]
SLOW = {"potrf": 1e12, "getrf": 1e12}


class Program:
    """Tasks of a graph file."""

    def __init__(self):
        self.tasks, self.sizes, self.flops = [], {}, 0

    def datum(self, name, rows, columns):
        self.sizes[name] = 4 * rows * columns
        return name

    def task(self, kernel, flops, accesses, priority=0):
        self.flops += flops
        self.tasks.append({"task": len(self.tasks), "kernel": kernel, "accesses": accesses, "priority": priority,
                           "cuda_s": flops / SLOW.get(kernel, 13e12)})

    def write(self, file):
        with open(file, "w") as out:
            print(json.dumps({"format": "factosim-graph", "version": 1, "nb": TILE, "precision": "single"}), file=out)
            for name, size in self.sizes.items():
                print(json.dumps({"data": name, "bytes": size}), file=out)
            for task in self.tasks:
                print(json.dumps(task), file=out)

    def working_set(self):
        return sum(self.sizes.values())


def product(n, pieces, results=True):
    p, depth = Program(), 4 * TILE // pieces
    a = {(i, k): p.datum(f"A{i},{k}", TILE, depth) for i in range(n) for k in range(pieces)}
    b = {(k, j): p.datum(f"B{k},{j}", depth, TILE) for j in range(n) for k in range(pieces)}
    for i in range(n):
        for j in range(n):
            c = [p.datum(f"C{i},{j}", TILE, TILE)] if results else []
            for k in range(pieces):
                p.task("gemm", 2 * TILE * TILE * depth,
                       [[a[i, k], "R"], [b[k, j], "R"]] + [[x, "RW" if k else "W"] for x in c])
    return p


def cholesky(n):
    p, cube = Program(), TILE**3
    a = {(i, j): p.datum(f"{i},{j}", TILE, TILE) for i in range(n) for j in range(i + 1)}
    for k in range(n):
        p.task("potrf", cube / 3, [[a[k, k], "RW"]], 3 * (n - k))
        for m in range(k + 1, n):
            p.task("trsm", cube, [[a[k, k], "R"], [a[m, k], "RW"]], 3 * (n - k) - (m - k))
        for m in range(k + 1, n):
            p.task("syrk", cube, [[a[m, k], "R"], [a[m, m], "RW"]], 3 * (n - k) - 2 * (m - k))
            for j in range(k + 1, m):
                p.task("gemm", 2 * cube, [[a[m, k], "R"], [a[j, k], "R"], [a[m, j], "RW"]], 3 * (n - k) - (m - k) - (j - k))
    return p


def lu(n):
    p, cube = Program(), TILE**3
    a = {(i, j): p.datum(f"{i},{j}", TILE, TILE) for i in range(n) for j in range(n)}
    for k in range(n):
        p.task("getrf", 2 * cube / 3, [[a[k, k], "RW"]], 3 * (n - k))
        for m in range(k + 1, n):
            p.task("trsm", cube, [[a[k, k], "R"], [a[m, k], "RW"]], 3 * (n - k) - (m - k))
            p.task("trsm", cube, [[a[k, k], "R"], [a[k, m], "RW"]], 3 * (n - k) - (m - k))
        for m in range(k + 1, n):
            for j in range(k + 1, n):
                p.task("gemm", 2 * cube, [[a[m, k], "R"], [a[k, j], "R"], [a[m, j], "RW"]], 3 * (n - k) - (m - k) - (j - k))
    return p


PROBLEMS = [("2D, inputs", lambda n: product(n, 1, results=False), (20, 40, 60)),
            ("product 2D", lambda n: product(n, 1), (20, 40, 60)), ("product 3D", lambda n: product(n, 4), (12, 20, 28)),
            ("Cholesky", cholesky, (20, 30, 40)), ("LU", lu, (14, 20, 28))]


def run(program, folder, problem, scheduler, eviction, gpus, memory_bytes):
    darts = {"queued_tasks": 10, "almost_free": "2D" not in problem}
    scenario = {"platform": "sirocco", "application": {"type": "graph", "file": "graph.jsonl"}, "network": {"model": "maxmin"},
                "scheduler": {"type": scheduler} | (darts if scheduler == "darts" else {}),
                "runtime": {"max_gpus": gpus, "reserved_cores": 24 - gpus, "gpu_pipeline": 5, "gpu_malloc_cost_s": 0,
                            "gpu_free_cost_s": 0, "eviction": eviction, "gpu_memory_fraction": MEMORY / memory_bytes}}
    with open(f"{folder}/scenario.json", "w") as file:
        json.dump(scenario, file)
    done = subprocess.run([program, "run", f"{folder}/scenario.json", "--json"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    result = json.loads(done.stdout)
    return result["makespan_s"], result["transfers"]["h2d_bytes"] + result["transfers"]["d2d_bytes"]


def main():
    program = sys.argv[1]
    with open(__file__.rsplit("/", 3)[0] + "/platforms/sirocco.json") as file:
        memory_bytes = json.load(file)["node_types"]["sirocco"]["gpus"][0]["memory_bytes"]
    orders = {"eager < dmdar lru": [("eager", "lru"), ("dmdar", "lru")],
              "dmdar lru < darts luf": [("dmdar", "lru"), ("darts", "luf")],
              "darts lru < darts luf": [("darts", "lru"), ("darts", "luf")],
              "dmdar lru < dmdar luf": [("dmdar", "lru"), ("dmdar", "luf")],
              "dmdar fifo < dmdar lru": [("dmdar", "fifo"), ("dmdar", "lru")],
              "dmdar luf < dmdar belady": [("dmdar", "luf"), ("dmdar", "belady")]}
    holds = {name: {"little": [0, 0], "ample": [0, 0]} for name in orders}
    failures = []
    print("| problem | N | GPUs | set / memory | " + " | ".join(f"`{s}` `{e}`" for s, e in POLICIES) + " |")
    print("|---" * (4 + len(POLICIES)) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, sizes in PROBLEMS:
            for n in sizes:
                tasks = make(n)
                tasks.write(f"{folder}/graph.jsonl")
                for gpus in (1, 2, 4):
                    ratio = tasks.working_set() / (gpus * MEMORY)
                    seconds = {}
                    for policy in POLICIES:
                        seconds[policy], more = run(program, folder, name, *policy, gpus, memory_bytes)
                        if seconds[policy] is None:
                            failures.append((name, n, gpus, policy, more))
                    print(f"| {name} | {n} | {gpus} | {ratio:.1f} | " + " | ".join(
                        f"{tasks.flops / seconds[p] / 1e9:.0f}" if seconds[p] else "-" for p in POLICIES) + " |", flush=True)
                    for order, (slower, faster) in orders.items():
                        if not (seconds[slower] and seconds[faster]):
                            continue
                        count = holds[order]["little" if ratio > 1 else "ample"]
                        count[0] += seconds[faster] <= seconds[slower] * 1.001
                        count[1] += 1
    print("\n| order of GFlop/s, or equal within 0.1 % | memory smaller than the set | larger |\n|---|---|---|")
    for order, count in holds.items():
        print(f"| {order} | {count['little'][0]} of {count['little'][1]} | {count['ample'][0]} of {count['ample'][1]} |")
    for failure in failures:
        print("failed:", *failure)


main()
