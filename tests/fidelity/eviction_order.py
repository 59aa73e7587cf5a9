#!/usr/bin/env python3
"""Compares eviction and scheduling policies where GPU memories are too small, on the problems of three papers.

  tests/fidelity/eviction_order.py FACTOSIM [--check]    --check: only some measured rates; fails if an error is larger than documented

Gonthier, Marchal, Thibault: IPDPS 2022, FGCS 143 (2023); Gonthier, JPDC (2025). As in the authors' public scripts: no workers on
cores, 5 tasks in a GPU's pipeline, 10 in the queue of darts, no cost of allocation. Products in single precision with tiles of 960
and 500 MB on each GPU: 960 N x 3840 by 3840 x 960 N in one piece (2D, darts without almost free tasks) and in 4 (3D); the papers'
model of them leaves the results out ("inputs"). Cholesky (single) and LU (double precision) with tiles of 1920 and 2000 MB. The
machine is theirs: bus and durations of gemini (V100), measured by the authors, and so are two rules: tasks share the requests for
their data, as in StarPU until 1.3 and in the authors' branch, and copies wait for the kernel that runs. Prints GFlop/s by working set
over the memory of all GPUs, how often the papers' orders hold, and for one GPU the loads of the 3D product and the rates of the 2D
product beside those that the authors measured; their darts drew the order of tasks and data (dynamic_data_aware.c, randomize_*).
"""
import json
import random
import subprocess
import sys
import tempfile

POLICIES = [("eager", "lru"), ("dmdar", "lru"), ("dmdar", "fifo"), ("dmdar", "luf"), ("dmdar", "belady"),
            ("darts", "lru"), ("darts", "fifo"), ("darts", "luf"), ("darts", "belady")]
# Seconds of 2 x 960 x 960 x 3840 operations on gemini: starpu_sgemm_gemm, 29491200 bytes; no square tile, so not in the kernel file.
DEEP_PRODUCT = 545.7e-6
# Tiles loaded by eager and dmdar for one 3D product of N = 5, 10, ..., 50 on one V100 of gemini with 500 MB, from the authors'
# records in StarPU's git (Output_maxime/Data/FGCS/DT_HFP_M3D.txt, the mean of 11 products).
MEASURED_LOADS = {"eager": [40, 91.6, 164.4, 311.2, 405, 3823.8, 5172, 6712, 8452, 10392],
                  "dmdar": [40, 88.8, 155.3, 259.5, 343.9, 420.8, 516.1, 605.9, 706.3, 905.7]}
# GFlop/s of one 2D product on the same GPU by policy and N: means of one to three days of 2021-10 to 2022-01 (git of StarPU, tag
# papers/ICPP2023, Output_maxime/Data). Their eager is modular-eager-prefetching; darts with STARPU_SCHED_READY=1, as here.
MEASURED_RATES = {
    ("eager", "lru"): {15: 11695, 30: 12236, 35: 3757, 40: 3773, 45: 3760, 50: 3762, 55: 3779, 60: 3778, 65: 3785, 70: 3789, 75: 3789},
    ("dmdar", "lru"): {15: 11727, 30: 12243, 35: 12199, 40: 12432, 45: 12487, 50: 12532, 55: 12569, 60: 12596, 65: 12607, 70: 11309, 75: 9984},
    ("darts", "lru"): {15: 12606, 30: 11842, 35: 12325, 40: 12288, 45: 10840, 50: 8781, 55: 7710, 60: 6766, 65: 6074, 70: 5613, 75: 5174},
    ("darts", "luf"): {15: 12628, 30: 12963, 35: 13008, 40: 13014, 45: 13008, 50: 12994, 55: 12715, 60: 12900, 65: 12813, 70: 12686, 75: 12551}}
ROOT = __file__.rsplit("/", 3)[0]


def durations(application, precision, tile):
    """Mean seconds of each kernel on the first GPU of gemini."""
    with open(f"{ROOT}/models/kernels/gemini.json") as file:
        kernels = json.load(file)["kernels"]
    return {name: t["mean_s"] for name, timings in kernels.items() for t in timings
            if (t["application"], t["precision"], t["nb"], t["worker"]) == (application, precision, tile, "cuda0")}


class Program:
    """Tasks of a graph file, on the memory of each GPU."""

    def __init__(self, precision, tile, memory):
        self.precision, self.tile, self.memory = precision, tile, memory
        self.tasks, self.sizes, self.flops = [], {}, 0

    def datum(self, name, rows, columns):
        self.sizes[name] = (4 if self.precision == "single" else 8) * rows * columns
        return name

    def task(self, kernel, flops, seconds, accesses, priority=0):
        self.flops += flops
        self.tasks.append({"task": len(self.tasks), "kernel": kernel, "accesses": accesses, "priority": priority,
                           "cuda_s": seconds})

    def write(self, file, drawn=False):
        """Writes the graph; `drawn`: independent tasks and data in a random order."""
        data, tasks = list(self.sizes.items()), list(self.tasks)
        if drawn:
            generator = random.Random(1)
            generator.shuffle(data)
            generator.shuffle(tasks)
        with open(file, "w") as out:
            print(json.dumps({"format": "factosim-graph", "version": 1, "nb": self.tile, "precision": self.precision}), file=out)
            for name, size in data:
                print(json.dumps({"data": name, "bytes": size}), file=out)
            for task in tasks:
                print(json.dumps(task), file=out)

    def working_set(self):
        return sum(self.sizes.values())


def product(n, pieces, results):
    p, tile = Program("single", 960, 500 << 20), 960
    depth = 4 * tile // pieces
    seconds = DEEP_PRODUCT if pieces == 1 else durations("gemm", "single", tile)["gemm"]
    a = {(i, k): p.datum(f"A{i},{k}", tile, depth) for i in range(n) for k in range(pieces)}
    b = {(k, j): p.datum(f"B{k},{j}", depth, tile) for j in range(n) for k in range(pieces)}
    for i in range(n):
        for j in range(n):
            c = [p.datum(f"C{i},{j}", tile, tile)] if results else []
            for k in range(pieces):
                p.task("gemm", 2 * tile * tile * depth, seconds,
                       [[a[i, k], "R"], [b[k, j], "R"]] + [[x, "RW" if k else "W"] for x in c])
    return p


def cholesky(n):
    p, tile = Program("single", 1920, 2000 << 20), 1920
    seconds, cube = durations("cholesky", "single", tile), tile**3
    a = {(i, j): p.datum(f"{i},{j}", tile, tile) for i in range(n) for j in range(i + 1)}
    for k in range(n):
        p.task("potrf", cube / 3, seconds["potrf"], [[a[k, k], "RW"]], 3 * (n - k))
        for m in range(k + 1, n):
            p.task("trsm", cube, seconds["trsm"], [[a[k, k], "R"], [a[m, k], "RW"]], 3 * (n - k) - (m - k))
        for m in range(k + 1, n):
            p.task("syrk", cube, seconds["syrk"], [[a[m, k], "R"], [a[m, m], "RW"]], 3 * (n - k) - 2 * (m - k))
            for j in range(k + 1, m):
                p.task("gemm", 2 * cube, seconds["gemm"], [[a[m, k], "R"], [a[j, k], "R"], [a[m, j], "RW"]],
                       3 * (n - k) - (m - k) - (j - k))
    return p


def lu(n):
    p, tile = Program("double", 1920, 2000 << 20), 1920
    seconds, cube = durations("lu", "double", tile), tile**3
    a = {(i, j): p.datum(f"{i},{j}", tile, tile) for i in range(n) for j in range(n)}
    for k in range(n):
        p.task("getrf", 2 * cube / 3, seconds["getrf"], [[a[k, k], "RW"]], 3 * (n - k))
        for m in range(k + 1, n):
            p.task("trsm_ll", cube, seconds["trsm_ll"], [[a[k, k], "R"], [a[k, m], "RW"]], 3 * (n - k) - (m - k))
            p.task("trsm_ru", cube, seconds["trsm_ru"], [[a[k, k], "R"], [a[m, k], "RW"]], 3 * (n - k) - (m - k))
        for m in range(k + 1, n):
            for j in range(k + 1, n):
                p.task("gemm", 2 * cube, seconds["gemm"], [[a[m, k], "R"], [a[k, j], "R"], [a[m, j], "RW"]],
                       3 * (n - k) - (m - k) - (j - k))
    return p


PROBLEMS = [("2D, inputs", lambda n: product(n, 1, False), (20, 40, 60)), ("3D, inputs", lambda n: product(n, 4, False), (20, 30, 40)),
            ("product 2D", lambda n: product(n, 1, True), (20, 40)), ("product 3D", lambda n: product(n, 4, True), (12, 20)),
            ("Cholesky", cholesky, (15, 25, 35)), ("LU", lu, (12, 18, 24))]


def run(program, folder, problem, scheduler, eviction, gpus, fraction):
    darts = {"queued_tasks": 10, "almost_free": "2D" not in problem}
    scenario = {"platform": "gemini", "application": {"type": "graph", "file": "graph.jsonl"}, "network": {"model": "maxmin"},
                "scheduler": {"type": scheduler} | (darts if scheduler == "darts" else {}),
                "runtime": {"max_gpus": gpus, "reserved_cores": 40 - gpus, "gpu_pipeline": 5, "gpu_malloc_cost_s": 0,
                            "gpu_free_cost_s": 0, "eviction": eviction, "gpu_memory_fraction": fraction,
                            "shared_requests": True, "copies_wait_for_kernels": True}}
    with open(f"{folder}/scenario.json", "w") as file:
        json.dump(scenario, file)
    done = subprocess.run([program, "run", f"{folder}/scenario.json", "--json"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1]
    result = json.loads(done.stdout)
    return result["makespan_s"], result["transfers"]["h2d_bytes"] + result["transfers"]["d2d_bytes"]


def compare_rates(program, folder, memory_bytes, sizes):
    """Prints measured and simulated rates of the 2D product; returns the errors by policy."""
    errors = {policy: [] for policy in MEASURED_RATES}
    print("\n| N | " + " | ".join(f"`{s}` `{e}`: measured | here | error, %" for s, e in MEASURED_RATES) + " |")
    print("|---" * (1 + 3 * len(MEASURED_RATES)) + "|")
    for n in sizes:
        tasks, row = product(n, 1, False), []
        for policy, rates in MEASURED_RATES.items():
            tasks.write(f"{folder}/graph.jsonl", drawn=policy[0] == "darts")
            seconds, _ = run(program, folder, "2D, inputs", *policy, 1, tasks.memory / memory_bytes)
            rate = tasks.flops / seconds / 1e9
            errors[policy].append(rate / rates[n] - 1)
            row.append(f"{rates[n]} | {rate:.0f} | {100 * errors[policy][-1]:+.1f}")
        print(f"| {n} | {' | '.join(row)} |", flush=True)
    return errors


def main():
    program = sys.argv[1]
    with open(f"{ROOT}/platforms/gemini.json") as file:
        memory_bytes = json.load(file)["node_types"]["gemini"]["gpus"][0]["memory_bytes"]
    if "--check" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            errors = compare_rates(program, folder, memory_bytes, (30, 40, 70))
        limits = {"eager": 0.045, "dmdar": 0.035, "darts lru": 0.13, "darts luf": 0.025}
        sys.exit(any(abs(e) > limits.get(" ".join(p), limits.get(p[0])) for p, of in errors.items() for e in of))
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
                    ratio = tasks.working_set() / (gpus * tasks.memory)
                    seconds = {}
                    for policy in POLICIES:
                        seconds[policy], more = run(program, folder, name, *policy, gpus, tasks.memory / memory_bytes)
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
        print("\n| N | `eager`: measured | here | `dmdar`: measured | here |\n|---|---|---|---|---|")
        for i in range(10):
            tasks, row = product(5 * (i + 1), 4, False), []
            tasks.write(f"{folder}/graph.jsonl")
            for scheduler, loads in MEASURED_LOADS.items():
                _, moved = run(program, folder, "3D, inputs", scheduler, "lru", 1, tasks.memory / memory_bytes)
                row.append(f"{loads[i]:.0f} | {moved / (4 * tasks.tile**2):.0f}")
            print(f"| {5 * (i + 1)} | {' | '.join(row)} |", flush=True)
        compare_rates(program, folder, memory_bytes, next(iter(MEASURED_RATES.values())))
    print("\n| order of GFlop/s, or equal within 0.1 % | memory smaller than the set | larger |\n|---|---|---|")
    for order, count in holds.items():
        print(f"| {order} | {count['little'][0]} of {count['little'][1]} | {count['ample'][0]} of {count['ample'][1]} |")
    for failure in failures:
        print("failed:", *failure)


main()
