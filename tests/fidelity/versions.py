#!/usr/bin/env python3
"""Prints what the options of StarPU's versions change on five shipped scenarios, in % of the makespan.

    tests/fidelity/versions.py PROGRAM [OPTION=VALUE ...]

Options are keys of "runtime"; without any: version 1.5 and each of its options for several nodes.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = {
    "one mirage node, Cholesky": ("peer/cholesky_mirage.json", ["/application/nt=20"]),
    "one mirage node, LU": ("peer/lu_mirage.json", ["/application/nt=20"]),
    "8 mirage nodes, Cholesky": (
        "peer/cholesky_mirage.json",
        ["/application/nt=20", "/application/variant=starpu-mpi", "/platform/file=" + str(ROOT / "platforms/mirage.json"),
         '/platform/nodes=[{"type": "mirage", "count": 8}]'],
    ),
    "22 nodes with GPUs, LU": ("lille/block_cyclic_2x11.json", []),
    "heterogeneous nodes, LU": ("lu_icpads20/fig11_fig12_heterogeneous.json", ["/application/nt=40"]),
}
OPTIONS = ['version="1.5"', "late_receive_buffers=true", "parallel_sends=true"]


def makespan(program, scenario, settings):
    file, own = SCENARIOS[scenario]
    command = [program, "run", str(ROOT / "scenarios" / file), "--json"]
    for setting in own + settings:
        command += ["--set", setting]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["makespan_s"]


def main():
    program, options = sys.argv[1], sys.argv[2:] or OPTIONS
    print("| scenario | makespan, s |" + "".join(f" `{option}` |" for option in options))
    print("|---|---|" + "---|" * len(options))
    for scenario in SCENARIOS:
        base = makespan(program, scenario, [])
        changes = [100 * (makespan(program, scenario, ["/runtime/" + option]) / base - 1) for option in options]
        print(f"| {scenario} | {base:.4f} |" + "".join(f" {change:+.2f} |" for change in changes), flush=True)


if __name__ == "__main__":
    main()
