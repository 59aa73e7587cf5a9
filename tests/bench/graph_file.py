#!/usr/bin/env python3
"""Measures how long factosim takes to read and simulate a graph of 100 000 tasks.

usage: graph_file.py PROGRAM [TASKS]

The graph: blocks of 100 tasks in wavefronts, each task after two of the block before, every task with a duration of its own. Prints
the CPU seconds of the whole process (median of 5) for both of our formats, and the parts that the result states.
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile


def tasks(count):
    for t in range(count):
        before = [t - 100, t - 100 + (1 if t % 100 < 99 else -1)] if t >= 100 else []
        yield {"task": t, "kernel": f"k{t % 4}", "priority": count - t, "depends_on": before,
               "cpu_s": round(0.001 + (t * 7919 % 100003) * 1e-8, 10)}


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with open(folder / "graph.jsonl", "w") as out:
            for task in tasks(count):
                out.write(json.dumps(task) + "\n")
        with open(folder / "tasks.csv", "w") as out:
            out.write("task,kernel,priority,depends_on,cpu_s\n")
            for t in tasks(count):
                out.write(f"{t['task']},{t['kernel']},{t['priority']},{' '.join(map(str, t['depends_on']))},{t['cpu_s']}\n")
        (folder / "platform.json").write_text(json.dumps(
            {"format": "factosim-platform", "version": 1, "node_types": {"node": {"cores": 32, "ram_bytes": 64000000000, "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 1e-5}}},
             "network": {"subnets": []},
             "nodes": [{"type": "node", "count": 1}]}))
        for file in ("graph.jsonl", "tasks.csv"):
            (folder / "scenario.json").write_text(json.dumps(
                {"platform": "platform.json", "application": {"type": "graph", "file": file}, "scheduler": {"type": "lws"},
                 "network": {"model": "maxmin"}}))
            seconds = []
            for _ in range(5):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run = subprocess.run([program, "run", str(folder / "scenario.json"), "--json"], capture_output=True, text=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                if run.returncode != 0:
                    raise SystemExit(run.stderr)
                seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            result = json.loads(run.stdout)
            print(f"{file}: {os.path.getsize(folder / file) / 1e6:.1f} MB, {result['tasks']} tasks: "
                  f"{statistics.median(seconds):.3f} s of CPU, {result['simulation']['cpu_s']:.3f} s of it simulating; "
                  f"makespan {result['makespan_s']} s")


main()
