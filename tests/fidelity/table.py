#!/usr/bin/env python3
"""Simulates the runs measured with StarPU-SimGrid on one node and prints both results side by side.

    tests/fidelity/table.py PROGRAM [FURTHER FILES...]

Reference values: peer_single_node.csv and further files with the same columns, or with one more: the memory of each GPU in MiB, as
STARPU_LIMIT_CUDA_MEM sets it (peer_pressure.csv). Ends with statistics of each policy family, those with limited memory apart; exits with 5
if they exceed the limits that README.md states for the rows of peer_single_node.csv.
"""
import collections
import os
import sys

import peer  # which takes the program from the arguments

FAMILIES = {"dm*": lambda policy: policy.startswith("dm"), "central": lambda policy: policy in ("eager", "prio"),
            "stealing": lambda policy: policy in ("ws", "lws")}
# Largest errors in %: mean, root mean square and single row for N >= 20; single row for N < 20. None with limited memory.
LIMITS = {"dm*": (1, 2.5, 6, 10), "central": (3, 6, 16, 14), "stealing": (3, 7, 14, 14)}
LAYOUT = "{:<9} {:<8} {:>5} {:>4} {:<7} {:>11} {:>11} {:>8} {:>11} {:>11} {:>7} {:>7}"


def print_row(row):
    """Simulates the run of a row; returns the error of its makespan in %."""
    result = peer.simulated(row)
    error = 100 * peer.error_of(row, result)
    rate = result["simulation"]["tasks_per_s"]
    theirs = result["tasks"] / float(row["cpu_s"]) if row["cpu_s"] else None
    print(LAYOUT.format(row["app"], row["machine"], row["tile"], row["n"], row["policy"], f"{float(row['makespan_ms']):.1f}",
                        f"{1000 * result['makespan_s']:.1f}", f"{error:+.2f}", f"{theirs:.0f}" if theirs else "-", f"{rate:.0f}",
                        f"{rate / theirs:.0f}" if theirs else "-", row["gpu_limit_MiB"] or "-"), flush=True)
    return error


def group_of(row):
    family = next(name for name, has in FAMILIES.items() if has(row["policy"]))
    return family, "limited memory" if row["gpu_limit_MiB"] else "N >= 20" if int(row["n"]) >= 20 else "N <  20"


def main():
    further = [os.path.abspath(file) for file in sys.argv[1:]]
    print(LAYOUT.format("app", "machine", "tile", "N", "policy", "peer ms", "ours ms", "error %", "peer task/s", "ours task/s", "ratio",
                        "GPU MiB"))
    errors = collections.defaultdict(list)
    for file in ["peer_single_node.csv", *further]:
        for row in peer.rows(file):
            errors[group_of(row)].append(print_row(row))
    bad = False
    for family, (most_mean, most_rms, most_large, most_small) in LIMITS.items():
        for size in ("limited memory", "N >= 20", "N <  20"):
            group = errors[family, size]
            if not group:
                continue
            (mean, rms), worst = peer.mean_and_rms(group), max(group, key=abs)
            print(f"{family:<9} {size}, {len(group):2} rows: mean {mean:+.2f} %, rms {rms:.2f} %, worst {worst:+.2f} %")
            if size == "N >= 20":
                bad |= abs(mean) > most_mean or rms > most_rms or abs(worst) > most_large
            elif size == "N <  20":
                bad |= abs(worst) > most_small
    sys.exit(5 if bad else 0)


if __name__ == "__main__":
    main()
