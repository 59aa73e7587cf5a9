#!/usr/bin/env python3
"""Compares with a third party's simulations: StarPU's Task Graph Market.

usage: market.py PROGRAM [--check]

https://starpu.gitlabpages.inria.fr/market.html prints what starpu_replay of StarPU 1.3 gives for the Cholesky
factorization in single precision, tiles of 960, on mirage. Makespan times rate gives its operations: they are those of
a Cholesky whose diagonal updates are full products (gemm), as StarPU's example was up to 1.3. That graph is made here
from factosim's own and simulated. With --check, fails if a row from 20 x 20 tiles on is more than 3 % off."""

import json
import pathlib
import sys
import tempfile

from prediction import factosim

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Tiles, policy, makespan (ms), rate (GFlop/s), as printed there.
PUBLISHED = ((10, "dmdas", 298.476, 1121.60), (20, "dmdas", 1443.13, 1751.45), (30, "dmdas", 4357.02, 1915.96),
             (40, "dmdas", 9900.77, 1976.13), (40, "dmdar", 10506.7, 1862.16))
LIMIT = 0.03


def scenario(application, policy):
    return {"format": "factosim-scenario", "version": 1, "platform": str(ROOT / "platforms/mirage.json"),
            "application": application, "scheduler": {"type": policy}}


def with_full_products(lines):
    """The graph with diagonal updates that take as long as other products, and its operations."""
    graph = [json.loads(line) for line in lines]
    flops = {line["kernel"]: line for line in graph if "kernel" in line and "task" not in line}
    flops["syrk"].update(timing="gemm", flops=flops["gemm"]["flops"])
    return graph, sum(flops[line["kernel"]]["flops"] for line in graph if "task" in line)


def simulate(program, folder, tiles, policy):
    """Returns makespans (s) of factosim's own graph and of that with full products, and the latter's operations."""
    own = {"type": "cholesky", "nt": tiles, "nb": 960, "precision": "single"}
    plain, full = folder / "plain.json", folder / "full.json"
    plain.write_text(json.dumps(scenario(own, policy)))
    factosim(program, "export", plain, "--format", "graph-jsonl", "-o", folder / "plain.jsonl", "--force", "-q")
    graph, flops = with_full_products((folder / "plain.jsonl").read_text().splitlines())
    (folder / "full.jsonl").write_text("".join(json.dumps(line) + "\n" for line in graph))
    full.write_text(json.dumps(scenario({"type": "graph", "file": "full.jsonl"}, policy)))
    return *(json.loads(factosim(program, "run", s, "--json", "-q"))["makespan_s"] for s in (plain, full)), flops


def main():
    check = "--check" in sys.argv
    program = next(argument for argument in sys.argv[1:] if argument != "--check")
    worst = 0.0
    print("tiles policy  published ms      GFlop | plain ms  error % | full products ms  error %      GFlop")
    with tempfile.TemporaryDirectory() as folder:
        for tiles, policy, milliseconds, rate in PUBLISHED:
            plain, full, flops = simulate(program, pathlib.Path(folder), tiles, policy)
            errors = [1e3 * made / milliseconds - 1 for made in (plain, full)]
            print(f"{tiles:5} {policy}  {milliseconds:12.1f} {rate * milliseconds / 1e3:10.1f} | {1e3 * plain:8.1f} "
                  f"{100 * errors[0]:+8.2f} | {1e3 * full:16.1f} {100 * errors[1]:+8.2f} {flops / 1e9:10.1f}")
            if abs(flops / (rate * milliseconds * 1e6) - 1) > 1e-3:
                sys.exit("the graphs have different numbers of operations")
            if tiles >= 20:
                worst = max(worst, abs(errors[1]))
    print(f"largest error from 20 x 20 tiles on: {100 * worst:.2f} %")
    if check and worst > LIMIT:
        sys.exit(f"larger than {100 * LIMIT:.0f} %")


if __name__ == "__main__":
    main()
