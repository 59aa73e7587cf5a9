#!/usr/bin/env python3
"""Measures policies in Python: PYTHONPATH=BUILD_DIR/python tests/bench/python_policy.py [--nt N] [--runs N]

Simulates LU on a node with three GPUs (the network model maxmin) with policies of tests/python/policies.py and with the built-in
ones of the same decisions, in turn, and prints tasks per second of the median of the runs: of processor time of the simulation
itself, as `simulation` of result.json has it."""

import argparse
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))

import factosim  # noqa: E402
from policies import Dm, Eager  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--nt", type=int, default=60)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--check", type=float, metavar="RATE", help="fail below so many tasks per second")
options = parser.parse_args()

scenario = ROOT / "scenarios/first/lu_mirage.json"
slow = False
for name, policy in (("eager", Eager), ("dm", Dm)):
    rates: dict[str, list[float]] = {"python": [], "built in": []}
    for _ in range(options.runs):
        for kind, own in (("python", policy), ("built in", None)):
            settings = {"nt": options.nt, "/network/model": "maxmin", "/scheduler": {"type": name}}
            run = factosim.run(scenario, settings, scheduler=own, trace=False, progress=False)
            rates[kind].append(run.result["tasks"] / run.result["simulation"]["cpu_s"])
    python, built_in = (statistics.median(rates[kind]) for kind in ("python", "built in"))
    print(f"{name:6} {run.result['tasks']} tasks: {python:9.0f} tasks/s in Python, {built_in:9.0f} tasks/s built in")
    slow = slow or (options.check is not None and python < options.check)
sys.exit(1 if slow else 0)
