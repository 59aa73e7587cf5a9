#!/usr/bin/env python3
"""Where each policy does worst against each other one.

    tests/bench/duels.py PROGRAM [--runs N] [--policies LIST] [--jobs N]

Runs `factosim duel A B` for all ordered pairs of policies on the shipped family (small factorizations on shipped machines), and
prints the largest ratio of makespans found, A by B, as a table: a row for each A, a column for each B.
"""
import argparse
import concurrent.futures
import json
import subprocess

POLICIES = ["eager", "prio", "random", "ws", "dm", "dmda", "dmdar", "dmdap", "dmdas", "dmdasd", "heft", "heteroprio"]


def ratio(program, a, b, runs):
    done = subprocess.run([program, "duel", a, b, "--runs", str(runs), "--jobs", "1", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["ratio"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    policies = arguments.policies.split(",")
    pairs = [(a, b) for a in policies for b in policies if a != b]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = dict(zip(pairs, pool.map(lambda pair: ratio(arguments.program, *pair, arguments.runs), pairs)))
    print("| A \\ B | " + " | ".join(policies) + " |")
    print("|---|" + "---|" * len(policies))
    for a in policies:
        print(f"| {a} | " + " | ".join("" if a == b else f"{found[a, b]:.3g}" for b in policies) + " |")


if __name__ == "__main__":
    main()
