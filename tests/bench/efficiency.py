#!/usr/bin/env python3
"""Bounds of the problem on the nodes of the ICPADS 2020 study, against simulations and the search for the best.

    tests/bench/efficiency.py PROGRAM [--nt 50] [--runs 40] [--check]

For each set of nodes: makespan and efficiency (bounds/problem_s over makespan) of four distributions, in the order of
makespans, and the least makespan that `advise` finds over subsets of the nodes, distributions and policies. --check:
exit code 1 if an efficiency does not fall where the makespan rises, or a bound is above any makespan.
"""
import argparse
import json
import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parents[2] / "scenarios/lu_icpads20"
sets = [(1, 0), (4, 0), (8, 0), (8, 1), (8, 4), (8, 8), (8, 14), (8, 30), (7, 14), (16, 30), (0, 16), (0, 23), (0, 50)]
distributions = ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"]
policies = "dmdas,dmda,lws,prio"


def said(program, command, chifflet, chetemi, nt, *options):
    nodes = [{"type": t, "count": n} for t, n in (("chifflet", chifflet), ("chetemi", chetemi)) if n]
    done = subprocess.run([program, command, str(here / "fig11_fig12_heterogeneous.json"), "--json", "--set",
                           f"/platform/nodes={json.dumps(nodes)}", "--set", f"/application/nt={nt}", *options],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--nt", type=int, default=50)
    arguments.add_argument("--runs", type=int, default=40, help="simulations of each search")
    arguments.add_argument("--check", action="store_true")
    a = arguments.parse_args()
    wrong = 0
    print(f"LU, {a.nt} x {a.nt} tiles of 960\n")
    print("| Chifflet + Chetemi | bound (s) | makespan (s) and efficiency, the fastest first | the least that the search finds (s) |")
    print("|---|---|---|---|")
    for chifflet, chetemi in sets:
        runs = []
        for distribution in distributions:
            r = said(a.program, "run", chifflet, chetemi, a.nt, "--set", f'/distribution={{"type":"{distribution}"}}')
            bounds, makespan = r["bounds"], r["makespan_s"]
            wrong += not bounds["problem_s"] <= bounds["distribution_s"] <= makespan
            runs.append((makespan, bounds["problem_s"] / makespan, distribution, bounds["problem_s"]))
        runs.sort()
        for (t1, e1, _, _), (t2, e2, _, _) in zip(runs, runs[1:]):
            wrong += t2 > t1 * (1 + 1e-9) and not e2 < e1
        bound = max(r[3] for r in runs)
        best = said(a.program, "advise", chifflet, chetemi, a.nt, "--runs", str(a.runs), "--schedulers", policies)["best"]
        wrong += not bound <= best["makespan_s"]
        listed = ", ".join(f"{d} {t:.2f} {100 * e:.1f} %" for t, e, d, _ in runs)
        print(f"| {chifflet} + {chetemi} | {bound:.3f} | {listed} | {best['makespan_s']:.3f}: {best['words']} |", flush=True)
    print(f"\n{wrong} violations")
    return 1 if a.check and wrong else 0


sys.exit(main())
