#!/usr/bin/env python3
"""Replays of real traces with one key changed: the comparison names what that key can cause.

    tests/fidelity/one_key.py PROGRAM [--check]     --check: every fifth pair only; fails below 58 of 60

Needs FACTOSIM_DATA, the folder of real runs. Prints a row for each pair, then how many have the right main cause. The
parts add up to the difference; where the means of kernels are equal, kernels are at most 5 % of it."""

import json, os, pathlib, subprocess, sys, tempfile

OVERHEAD, ORDER, SINGLE = "runtime overhead", "order of tasks", "deviations of single tasks"
BALANCE, MESSAGES = "load balance between nodes", "messages"
RUNTIME = {"application/submission": "runtime", "application/pauses": "runtime"}
NOISE = {"noise": '{"distribution":"normal"}'}
# What both runs have, the key that the second has too, its value, and the causes that are right.
CHANGES = [
    ({}, "application/submission", "runtime", {OVERHEAD}),
    ({}, "application/pauses", "runtime", {OVERHEAD}),
    ({}, "scheduler/type", "lws", {ORDER}),
    ({}, "application/timings", "recorded", {SINGLE}),
    (RUNTIME, "scheduler/type", "eager", {ORDER}),
    (RUNTIME | {"scheduler/type": "lws"}, "scheduler/type", "random", {ORDER}),
    (RUNTIME | {"scheduler/type": "lws"}, "runtime/submission_cost_s", "1e-3", {OVERHEAD}),
    (RUNTIME, "noise", NOISE["noise"], {SINGLE}),
    (RUNTIME | NOISE, "seed", "7", {SINGLE, ORDER}),
]
SEVERAL_NODES = [
    ({}, "application/messages", "means", {MESSAGES}),
    (RUNTIME | {"distribution": '{"type":"block-cyclic","p":1,"q":2}'}, "distribution",
     '{"type":"block-cyclic","p":2,"q":1}', {BALANCE, MESSAGES}),
]
TRACES = ["traces/qr_trace", "local_runs/mpi_lu_b320_nb10_lws_p2_r0", "local_runs/lu_b320_nb10_lws_w2_r0",
          "local_runs/chol_b320_nb10_dmdas_w2_r0", "local_runs/lu_b960_nb5_lws_w2_r0",
          "local_runs/chol_b960_nb5_lws_w2_r0", "local_runs/lu_b320_nb10_dmdas_w2_r0", "traces/lu_trace_simgrid"]


def result_of(program, trace, settings, folder):
    """Simulates the replay into a folder, once; returns None if these settings are refused."""
    if folder.exists():
        return folder
    scenario = folder.parent / (trace.name + ".json")
    scenario.write_text(json.dumps({"format": "factosim-scenario", "version": 1, "outputs": {"trace": True},
                                    "application": {"type": "trace", "file": str(trace)}}))
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    done = subprocess.run([program, "run", scenario, "--out", folder, "-q", *sets], capture_output=True, text=True)
    if done.returncode:
        print("refused:", done.stderr.strip())
    return folder if done.returncode == 0 else None


def main():
    data = os.environ.get("FACTOSIM_DATA")
    if not data:
        print("skipped: FACTOSIM_DATA does not tell where real runs lie")
        return 0
    program, check = sys.argv[1], "--check" in sys.argv
    pairs = [(trace, *change) for trace in TRACES
             for change in CHANGES + (SEVERAL_NODES if "mpi" in trace or "simgrid" in trace else [])]
    right = counted = 0
    failed = []
    with tempfile.TemporaryDirectory() as name:
        for number, (trace, base, key, value, causes) in enumerate(pairs[::5] if check else pairs):
            path, what = pathlib.Path(data) / trace, f"{trace.split('/')[1]} {key}={value}"
            runs = [result_of(program, path, settings, pathlib.Path(name) / f"{number}{run}")
                    for run, settings in (("a", base), ("b", base | {key: value}))]
            if None in runs:
                failed.append(f"{what}: refused")
                continue
            found = json.loads(subprocess.run([program, "compare", *runs, "--json"], capture_output=True, check=True).stdout)
            makespan, parts = found["makespan"], {p["cause"]: p["seconds"] for p in found["causes"]["parts"]}
            difference, main_cause = makespan["difference_s"], found["causes"]["main"]
            if abs(sum(parts.values()) - difference) > 1e-9 * makespan["a_s"]:
                failed.append(f"{what}: the parts do not add up")
            equal = all(abs(k["b"]["mean_s"] / k["a"]["mean_s"] - 1) < 1e-3 for k in found["kernels"] if k["a"] and k["b"])
            if equal and abs(parts["kernels"]) > 0.05 * abs(difference):
                failed.append(f"{what}: kernels {parts['kernels']:+.4f} s of {difference:+.4f} s, and their means are equal")
            if difference == 0:
                print(f"{what:<95} no difference")
                continue
            counted += 1
            right += main_cause in causes
            print(f"{what:<95} {difference:+9.4f} s {'' if main_cause in causes else 'WRONG '}{main_cause}; "
                  f"not separable from {found['causes']['not_separable_from']}; chaos {found['causes']['chaos_s']:.4f} s")
    print(f"main cause right in {right} of {counted} pairs that differ")
    if 30 * right < 29 * counted:
        failed.append("too few main causes are right")
    print("\n".join(failed))
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
