#!/usr/bin/env python3
"""Static schedules against policies on heterogeneous nodes.

    tests/bench/schedules.py PROGRAM [--runs N] [--check]

Finds a schedule (`factosim schedule`) for every factorization that a shipped machine with GPUs has kernel timings for, in
several sizes, and gemm, and prints a table: the makespan of round robin (over the GPUs, as NNTile's, the better one here), of
HEFT, of the best of all policies, and of the schedule found; how much shorter it is than each; and its gap to the bound of the
problem. The same options for every instance. Each schedule's file is then followed by `factosim run`.

--check: six small instances and few simulations; ends with 1 unless the schedule found is never longer than the best of the
portfolio, at least 10 % shorter than HEFT and round robin on half of the instances, and followed exactly.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Tile sizes are those that the machines were measured with in double precision.
FACTORIZATIONS = {
    "mirage": (960, ("cholesky", "lu", "gemm")),
    "sirocco-k40m": (960, ("cholesky", "lu", "qr", "gemm")),
    "sirocco-p100": (1240, ("cholesky", "lu", "qr")),
    "sirocco-v100": (1600, ("cholesky", "lu", "qr")),
}
SIZES = (8, 16, 24)
SMALL = [("mirage", "cholesky", 10), ("mirage", "lu", 10), ("sirocco-k40m", "cholesky", 10), ("sirocco-k40m", "qr", 10),
         ("sirocco-p100", "lu", 10), ("sirocco-v100", "cholesky", 10)]


def instances(small):
    if small:
        return SMALL
    return [(machine, application, size) for machine, (_, applications) in FACTORIZATIONS.items()
            for application in applications for size in SIZES if application != "gemm" or size < 24]


def run(program, *arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def measured(program, folder, instance, runs):
    """Returns the makespans in seconds: of the rivals, of the schedule, and of the run that follows it."""
    machine, application, size = instance
    scenario = folder / "scenario.json"
    scenario.write_text(json.dumps({"platform": machine, "network": {"model": "maxmin"}, "application": {
        "type": application, "nt": size, "nb": FACTORIZATIONS[machine][0]}}))
    found = run(program, "schedule", str(scenario), "--runs", str(runs), "--out", str(folder / "found"), "--force")
    makespans = {}
    for entry in found["portfolio"]:
        makespans[entry["policy"]] = entry.get("run", entry["schedule"])["makespan_s"]
    return {"round robin": min(makespans["round-robin"], makespans["round-robin on GPUs"]),
            "heft": makespans["heft"],
            "portfolio": min(min(e[k]["makespan_s"] for k in ("run", "schedule") if k in e) for e in found["portfolio"]),
            "best": found["best_of_portfolio"],
            "found": found["schedule"]["makespan_s"],
            "bound": found["bounds"]["problem_s"],
            "files": {f["format"]: f["makespan_s"] for f in found["files"]},
            "followed": run(program, "run", str(folder / "found/scenario.json"))["makespan_s"]}


def shorter(found, other):
    return f"{100 * (1 - found / other):.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    if a.check:
        a.runs = min(a.runs, 600)
    print("| instance | round robin | HEFT | best of the portfolio | schedule | shorter than round robin, HEFT, portfolio | above the bound |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for instance in instances(a.check):
            m = measured(a.program, pathlib.Path(name), instance, a.runs)
            rows.append(m)
            print(f"| {instance[1]}, {instance[2]} x {instance[2]} tiles, {instance[0]} | {m['round robin']:.4g} s | {m['heft']:.4g} s "
                  f"| {m['portfolio']:.4g} s, {m['best']} | {m['found']:.4g} s | {shorter(m['found'], m['round robin'])}, "
                  f"{shorter(m['found'], m['heft'])}, {shorter(m['found'], m['portfolio'])} | {100 * (m['found'] / m['bound'] - 1):.1f} % |", flush=True)
    beaten = sum(m["found"] <= 0.9 * min(m["heft"], m["round robin"]) for m in rows)
    lost = sum(m["found"] > m["portfolio"] for m in rows)
    followed = max(abs(m["followed"] / m["found"] - 1) for m in rows)
    starpu = max(abs(m["files"]["sched.rec"] / m["found"] - 1) for m in rows)
    print(f"\nAt least 10 % shorter than HEFT and round robin: {beaten} of {len(rows)}. Longer than the best of the portfolio: {lost}. "
          f"A run that follows the schedule differs by at most {100 * followed:.3g} %, one that follows its sched.rec by {100 * starpu:.3g} %.")
    return 1 if a.check and (2 * beaten < len(rows) or lost or followed > 0 or starpu > 0.03) else 0


if __name__ == "__main__":
    sys.exit(main())
