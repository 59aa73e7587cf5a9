#!/usr/bin/env python3
"""Runs whose tasks come from formulas, against runs of the stored task graph, on random scenarios.

    tests/formulas.py PROGRAM [--scenarios 200] [--first 0] [--keep DIR]

Draws the scenarios of tests/scaling.py whose application has formulas (LU, Cholesky, gemm), with their variants, wires and costs
of communication threads, and simulates each with both values of "task_graph". result.json (without what is measured, the
options, and the diagnosis, which needs all dates) and run.trace must have equal bytes. Scenarios that need the stored
graph must say so. Prints the counts and each difference; exits with 1 if there is one.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scaling

VARIANTS = {"lu": ["starpu", "chameleon"], "cholesky": ["starpu", "chameleon", "starpu-mpi"], "gemm": ["outer-product"]}
LEFT_OUT = ["simulation", "diagnosis", "provenance"]


def scenario_of(number):
    """Returns a scenario with its platform, or nothing if its application has no formulas."""
    scenario, platform, _ = scaling.drawn(number)
    kind = scenario["application"]["type"]
    if kind not in VARIANTS:
        return None
    draw = random.Random(f"formulas {number}")
    scenario["application"]["variant"] = draw.choice(VARIANTS[kind])
    scenario["application"]["nt"] = draw.randint(1, 14)
    scenario["network"]["wire"] = draw.choice(["shared", "fifo", "priority"])
    if draw.random() < 0.3:
        scenario["network"]["max_sends"] = draw.randint(1, 6)
    if draw.random() < 0.3:
        scenario["runtime"]["submission_cost_s"] *= draw.choice([100, 10000])
    return scenario, platform


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
    """Returns "equal", "refused", "skipped", or what differs."""
    drawn = scenario_of(number)
    if drawn is None:
        return "skipped"
    scaling.write(folder, *drawn, 1)
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
    counts, number = {}, given.first
    with tempfile.TemporaryDirectory() as work:
        while counts.get("equal", 0) + counts.get("different", 0) < given.scenarios:
            what = compare(given.program, number, (given.keep or pathlib.Path(work)) / str(number))
            if what not in ("equal", "failed alike", "refused", "skipped"):
                print(f"{number}: {what}", flush=True)
                what = "different"
            counts[what] = counts.get(what, 0) + 1
            number += 1
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts.get("different", 0) else 0


if __name__ == "__main__":
    sys.exit(main())
