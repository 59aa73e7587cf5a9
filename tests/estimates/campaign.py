#!/usr/bin/env python3
"""Estimated makespans against simulations of every task, on the scenarios of scenarios.json.

    tests/estimates/campaign.py PROGRAM [--detail sampled] [--names A,B] [--max-tasks N] [--exact] [--check]

Without --exact: estimates each scenario that has a row in exact.csv, prints a Markdown table of exact makespan, estimate, error, stated error
and processor seconds of both, and writes DETAIL.csv. With --exact: simulates every task of the scenarios that have no row in exact.csv yet,
the smallest first, and appends the rows (the largest ones take hours). --max-tasks leaves larger scenarios out. --check compares with DETAIL.csv
instead of writing it, and exits with 1 if an estimate has changed.

Processor seconds are those of the program's result, without reading and bounds for exact runs.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXACT = ["name", "tasks", "makespan_s", "cpu_s", "peak_rss_bytes", "git"]
ESTIMATE = ["name", "tasks", "exact_s", "estimate_s", "error", "stated_error", "tasks_simulated", "exact_cpu_s", "cpu_s", "peak_rss_bytes", "git"]


def run(program, scenario, settings=()):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scenario.json"
        platform = dict(scenario["platform"])
        platform["file"] = str((HERE / platform["file"]).resolve())
        path.write_text(json.dumps({**scenario, "platform": platform}))
        out = [f"--set={s}" for s in settings]
        done = subprocess.run([program, "run", str(path), "--json", *out], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{scenario['name']}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def read(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def write(path, columns, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def size(scenario):
    """Returns the approximate number of tasks."""
    nt = scenario["application"]["nt"]
    return nt**3 / {"cholesky": 6, "gemm": 1}.get(scenario["application"]["type"], 3)


def simulate_exactly(arguments, scenarios, known):
    for scenario in sorted(scenarios, key=size):
        if scenario["name"] in known:
            continue
        result = run(arguments.program, scenario)
        cost = result["simulation"]
        known[scenario["name"]] = {"name": scenario["name"], "tasks": result["tasks"], "makespan_s": result["makespan_s"], "cpu_s": round(cost["cpu_s"], 2),
                                   "peak_rss_bytes": cost["peak_rss_bytes"], "git": result["provenance"]["git"][:12]}
        print(known[scenario["name"]], flush=True)
        write(HERE / "exact.csv", EXACT, known.values())


def estimate(program, scenario, exact, detail):
    result = run(program, scenario, [f"/detail/type={detail}"])
    cost, makespan = result["simulation"], float(exact["makespan_s"])
    return {"name": scenario["name"], "tasks": result["tasks"], "exact_s": makespan, "estimate_s": result["makespan_s"],
            "error": round(result["makespan_s"] / makespan - 1, 5), "stated_error": round(result["detail"]["error_relative"], 5),
            "tasks_simulated": result["detail"]["tasks_simulated"], "exact_cpu_s": exact["cpu_s"], "cpu_s": round(cost["cpu_s"], 2),
            "peak_rss_bytes": cost["peak_rss_bytes"], "git": result["provenance"]["git"][:12]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--detail", default="sampled")
    parser.add_argument("--names")
    parser.add_argument("--max-tasks", type=float, default=float("inf"))
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    names = arguments.names.split(",") if arguments.names else None
    scenarios = [s for s in json.loads((HERE / "scenarios.json").read_text())
                 if (names is None or s["name"] in names) and size(s) <= arguments.max_tasks]
    exact = read(HERE / "exact.csv")
    if arguments.exact:
        return simulate_exactly(arguments, scenarios, exact)
    file = HERE / f"{arguments.detail}.csv"
    rows, failed = read(file), False
    print("| scenario | tasks | exact s | estimate s | error | stated | simulated | CPU s exact | CPU s |\n|---|---|---|---|---|---|---|---|---|")
    for scenario in scenarios:
        if scenario["name"] not in exact:
            continue
        row = estimate(arguments.program, scenario, exact[scenario["name"]], arguments.detail)
        print(f"| {row['name']} | {row['tasks']:.3g} | {row['exact_s']:.5g} | {row['estimate_s']:.5g} | {100 * row['error']:+.1f} % | ± {100 * row['stated_error']:.1f} % "
              f"| {row['tasks_simulated'] / row['tasks']:.0%} | {row['exact_cpu_s']} | {row['cpu_s']} |", flush=True)
        if arguments.check:
            old = rows[scenario["name"]]
            same = float(old["estimate_s"]) == row["estimate_s"]
            failed = failed or not same
            if not same:
                print(f"{row['name']}: {row['estimate_s']} instead of {old['estimate_s']}")
        else:
            rows[row["name"]] = {**row, "tasks": int(row["tasks"])}
            write(file, ESTIMATE, rows.values())
    if not arguments.check:
        done = [r for r in rows.values()]
        within = sum(abs(float(r["error"])) <= float(r["stated_error"]) for r in done)
        three = sum(abs(float(r["error"])) <= 0.03 for r in done)
        print(f"\n{len(done)} scenarios: {three} within 3 %, {within} within the stated error")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
