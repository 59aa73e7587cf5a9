#!/usr/bin/env python3
"""Combinations of features that once failed: tests/soak/kept.py PROGRAM

Each is run, held against what must be true of it, and audited by `factosim check`. kept/ has shrunk failures of random scenarios, as
`soak.py --keep` writes them; each is held against the claim that it broke.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import soak
from lab import Lab

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
problems = []


def expect(holds, text):
    if not holds:
        problems.append(text)


def factosim(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


def run(name, scenario, folder="out"):
    """Runs a scenario with the built-in max-min network unless it names another, audits it, and returns its result."""
    pathlib.Path("s.json").write_text(json.dumps({"network": {"model": "maxmin"}, **scenario}))
    done = factosim("run", "s.json", "--out", folder, "--force")
    expect(done.returncode == 0, f"{name}: exit code {done.returncode} {done.stderr[:300]}")
    if done.returncode != 0:
        return None
    checked = factosim("check", folder)
    expect(checked.returncode == 0, f"{name}: {checked.stdout} {checked.stderr}")
    result = json.loads(pathlib.Path(folder, "result.json").read_text())
    expect(isinstance(result["makespan_s"], float) and result["makespan_s"] > 0, f"{name}: lasts {result['makespan_s']}")
    return result


def kernels_that_some_workers_cannot_run():
    """darts: the worker beside the cores has no dcmg, and GPUs that compute in RAM have no getrf."""
    for node in ("chetemi", "chifflet", "chifflot"):
        for nt in (8, 9, 15):
            run(f"darts, exageostat {nt} on {node}",
                {"platform": {"file": "lille", "nodes": [{"type": node, "count": 1}]}, "scheduler": {"type": "darts"},
                 "application": {"type": "exageostat", "nt": nt, "nb": 960}})
    for kind in ("lu", "qr"):
        run(f"darts, {kind} on mi300a", {"platform": "mi300a", "scheduler": {"type": "darts"}, "application": {"type": kind, "nt": 9, "nb": 960}})


def tiles_that_are_released_while_requests_wait():
    """Out of core, a tile that was received leaves its node with the requests for its copies."""
    for kind in ("gemm", "syrk", "cholesky"):
        for count in (2, 3):
            run(f"out of core, {kind} on {count} nodes",
                {"platform": {"file": "mirage", "nodes": [{"type": "mirage", "count": count}]}, "scheduler": {"type": "dmda"},
                 "application": {"type": kind, "nt": 14, "nb": 960}, "runtime": {"out_of_core": True, "ram_limit_bytes": 60 * 960 * 960 * 8}})


def tasks_without_time():
    """The loads of a product take no time, at dates of the grid, also in its replay, which repeats the run."""
    for kind in ("gemm", "syrk"):
        recorded = run(f"recorded {kind}", {"platform": "mirage", "application": {"type": kind, "nt": 8, "nb": 960}}, "recorded")
        replayed = run(f"replay of {kind}", {"application": {"type": "trace", "file": "recorded/run.trace"}})
        if recorded and replayed:
            expect(abs(replayed["makespan_s"] / recorded["makespan_s"] - 1) < 0.05, f"replay of {kind}: {replayed['makespan_s']} s")


def names_of_kernels():
    """Names may hold what JSON pointers escape."""
    for name in ("blas/gemm", "a~b", "~1/~0"):
        pathlib.Path("g.jsonl").write_text(json.dumps({"task": 1, "kernel": name, "cpu_s": 1}))
        result = run(name, {"platform": "mirage", "application": {"type": "graph", "file": "g.jsonl"}})
        expect(result is None or result["tasks_by_kernel"] == {name: 1}, f"{name}: {result and result['tasks_by_kernel']}")


def limits_that_do_not_exist():
    """No bus limits a machine whose GPUs compute in its RAM."""
    result = run("unified memory", {"platform": "mi300a", "scheduler": {"type": "dm"}, "application": {"type": "cholesky", "nt": 3, "nb": 960}})
    expect(result is None or result["diagnosis"]["limit"] not in ("bus", "gpu-memory"), f"unified memory: {result['diagnosis']}")


def graphs_of_applications():
    """The graph of an application has its makespan where kernels share a GPU by their rates, of all kernels of the machine."""
    scenario = {"platform": "mirage", "scheduler": {"type": "dmda"}, "runtime": {"workers_per_gpu": 3, "gpu_sharing": "occupancy"}}
    direct = run("occupancy", {**scenario, "application": {"type": "lu", "nt": 11, "nb": 960}})
    expect(factosim("export", "s.json", "--format", "graph-jsonl", "-o", "lu.jsonl").returncode == 0, "occupancy: no export")
    graph = {"type": "graph", "file": "lu.jsonl", "durations": "platform"}
    stored = run("occupancy, graph", {**scenario, "application": graph})
    expect(direct is None or stored is None or direct["makespan_s"] == stored["makespan_s"], "occupancy: the graph has another makespan")
    # What a scenario says of a graph is in its export.
    pathlib.Path("lines.jsonl").write_text('{"task": 1, "kernel": "gemm", "flops": 1e9}\n')
    graph = {"type": "graph", "file": "lines.jsonl", "durations": "platform", "timings_of": "lu", "nb": 960}
    first = run("graph", {"platform": "mirage", "application": graph})
    expect(factosim("export", "s.json", "--format", "graph-jsonl", "-o", "again.jsonl").returncode == 0, "graph: no export")
    second = run("graph, exported", {"platform": "mirage", "application": {"type": "graph", "file": "again.jsonl", "durations": "platform"}})
    expect(first is None or second is None or first["makespan_s"] == second["makespan_s"], "graph: its export has another makespan")


def refusals():
    """What is not computed is refused by name."""
    cases = {"lasts": {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, "network": {"model": "maxmin", "latency_factor": 1e19}},
             "NUL character": {"name": "a\0b", "platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}},
             "a key twice": {"platform": "mirage", "application": {"type": "graph", "file": "twice.jsonl"}}}
    pathlib.Path("twice.jsonl").write_text('{"task":1,"kernel":"k","cpu_s":1,"cpu_s":2}\n')
    for text, scenario in cases.items():
        pathlib.Path("s.json").write_text(json.dumps(scenario))
        done = factosim("run", "s.json", "--out", "refused")
        expect(done.returncode == 2 and text in done.stderr and not pathlib.Path("refused/result.json").exists(), f"{text}: {done.returncode} {done.stderr}")


def nodes_that_ran_nothing():
    """The replay of a run on three nodes, of which two had no task, needs one."""
    pathlib.Path("one.jsonl").write_text('{"task":1,"kernel":"k","cpu_s":1}\n')
    recorded = run("one of three nodes", {"platform": {"file": "mirage", "nodes": [{"type": "mirage", "count": 3}]},
                                          "application": {"type": "graph", "file": "one.jsonl"}}, "on_one")
    replayed = run("its replay on one", {"platform": "mirage", "application": {"type": "trace", "file": "on_one/run.trace"}})
    expect(recorded is None or replayed is None or abs(replayed["makespan_s"] / recorded["makespan_s"] - 1) < 0.05, "one of three nodes: its replay takes another time")


def data_that_one_task_flushes():
    """Several data whose last reader is one task are received again, also after a flush of all."""
    task = lambda i, node, accesses: {"task": i, "kernel": "k", "node": node, "accesses": accesses, "cpu_s": 1e-3, "cuda_s": 1e-3}
    data = [{"data": name, "bytes": 10 ** 6, "owner": 0} for name in "ab"]
    first = [task(0, 0, [["a", "RW"]]), task(1, 0, [["b", "RW"]]), task(2, 1, [["a", "R"], ["b", "R"]]), {"flush": "a"}, {"flush": "b"}]
    last = [task(3, 1, [["a", "R"]]), task(4, 1, [["b", "R"]])]
    for platform in ("mirage", "bora"):  # with and without page-locked buffers
        for flushes in ([], [{"flush": "all"}]):
            pathlib.Path("flushed.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [{"format": "factosim-graph", "version": 2}, *data, *first, *flushes, *last]))
            result = run(f"flushed together on {platform}", {"platform": {"file": platform, "nodes": [{"type": platform, "count": 2}]},
                                                             "application": {"type": "graph", "file": "flushed.jsonl", "placement": "file"}})
            expect(result is None or result["tiles_sent"] == 4, f"flushed together on {platform}: {result and result['tiles_sent']} messages")


def memories_that_hold_too_little():
    """A task that no GPU it may run on can hold, and tiles of a replay beyond the RAM, are found before the run."""
    run("recorded", {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}}, "to_replay")
    pathlib.Path("one.jsonl").write_text('{"data":"d","bytes":9000000}\n{"task":1,"kernel":"k","cpu_s":1,"cuda_s":1,"accesses":[["d","RW"]]}\n')
    graph = {"platform": "mirage", "application": {"type": "graph", "file": "one.jsonl"}}
    replay = {"application": {"type": "trace", "file": "to_replay/run.trace"}}
    for text, runtime, fits, scenario in (("task 0 (k) uses", "gpu_memory_fraction", 0.9, graph), ("of data and has a RAM of", "ram_limit_bytes", 10 ** 9, replay),
                                          ("of data and has a RAM of", "ram_limit_bytes", 10 ** 9, {"platform": "mirage", **replay})):
        run(f"{text}, enough", {**scenario, "runtime": {runtime: fits}})
        pathlib.Path("s.json").write_text(json.dumps({**scenario, "runtime": {runtime: 1e-3 if fits < 1 else 1000}}))
        done = factosim("run", "s.json")
        expect(done.returncode == 4 and text in done.stderr, f"{text}: {done.returncode} {done.stderr}")


def shrunk_failures():
    """The claims that random scenarios broke."""
    for file in sorted(pathlib.Path(__file__).resolve().parent.glob("kept/*.json")):
        case, claim = soak.kept(file)
        lab = Lab(PROGRAM)
        found = soak.verdict(lab, case, claim)
        lab.box.close()
        expect(not isinstance(found, str), f"{file.name}: {found}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for claim in (kernels_that_some_workers_cannot_run, tiles_that_are_released_while_requests_wait, tasks_without_time, names_of_kernels,
                  limits_that_do_not_exist, graphs_of_applications, refusals, nodes_that_ran_nothing, data_that_one_task_flushes, memories_that_hold_too_little, shrunk_failures):
        claim()
print("\n".join(problems) if problems else "all hold")
sys.exit(1 if problems else 0)
