#!/usr/bin/env python3
"""Predicts runs of native_cholesky.cu, real tile Cholesky in several precisions on one GPU, and compares with them.

usage: native_gpu.py PROGRAM [--predict] [--check] [--calibrated | --estimates]

kernels.csv has the durations that `native_cholesky kernels` measured, runs.csv what `native_cholesky run` did, and
predicted.csv what --predict printed before those runs. Without an option, cases are simulated again and compared, those
with several workers by both rules of `runtime/gpu_sharing`; with --check the exit code is 1 if a difference is larger
than the page says. --calibrated takes durations from the shipped kernel file of the GPU where it has them, measured after
the runs; --estimates compares the estimated kernels of the preset h100x4 with kernels.csv instead."""

import argparse
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BYTES = {"double": 8, "single": 4, "tf32": 4, "half": 2}
BANDS = {
    "double": "double",
    "2 bands": "3:double,single",
    "tf32": "3:double,tf32",
    "half": "3:double,half",
    "3 bands": "3:double,9:single,half",
}
SIZES = [(30, 2048), (20, 2048), (40, 1024), (16, 4096)]
CASES = [(nt, nb, 1, bands) for nt, nb in SIZES for bands in BANDS.values()]
CASES += [(30, 2048, w, BANDS[b]) for w in (2, 4) for b in ("double", "2 bands", "3 bands")]
CASES += [(40, 1024, w, BANDS[b]) for w in (2, 4) for b in ("double", "2 bands", "3 bands")]


def read(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def shipped(machine):
    return json.loads((HERE.parents[2] / f"models/kernels/{machine}.json").read_text())["kernels"]


def kernel_file(calibrated):
    """The durations of one worker; conversions by their bytes: seconds = launch + bytes / rate, least squares."""
    kernels, copies = {}, []
    for row in read("kernels.csv"):
        nb, mean = int(row["nb"]), float(row["mean_s"])
        if row["kernel"] == "convert":
            copies.append((nb * nb * (BYTES[row["from"]] + BYTES[row["precision"]]), mean))
            continue
        kernels.setdefault(row["kernel"], []).append(
            {"precision": row["precision"], "worker": "cuda0", "nb": nb, "mean_s": mean})
    for name, timings in kernels.items() if calibrated else ():
        means = {(t["precision"], t["nb"]): t["mean_s"] for t in shipped("h100").get(name, [])}
        for timing in timings:
            timing["mean_s"] = means.get((timing["precision"], timing["nb"]), timing["mean_s"])
    n, x, y = len(copies), sum(c[0] for c in copies), sum(c[1] for c in copies)
    xx, xy = sum(c[0] ** 2 for c in copies), sum(c[0] * c[1] for c in copies)
    slope = (n * xy - x * y) / (n * xx - x * x)
    kernels["convert"] = [{"precision": "double", "worker": "cuda0", "flops_per_second": 1 / slope,
                           "launch_s": (y - slope * x) / n, "min_nb": 512, "max_nb": 4096}]
    return {"format": "factosim-kernels", "version": 1, "machine": "h100",
            "provenance": "Measured: native_cholesky kernels on one H100 SXM5 80 GB, 2026-11-26",
            "estimate": True,  # of conversions, a rate that was fitted to their durations
            "kernels": kernels}


def platform():
    """One GPU; the links as `calibrate --machine` measured them there."""
    rates = {("ram", "cuda0"): (53.84e9, 7.026e-6), ("cuda0", "ram"): (55.17e9, 7.939e-6)}
    return {"format": "factosim-platform", "version": 1, "node_types": {"h100": {
        "cores": 16, "ram_bytes": 135148564480, "kernels": "kernels.json",
        "gpus": [{"model": "NVIDIA H100 80GB HBM3", "memory_bytes": 85017493504}],
        "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6},
        "bus": {"links": [{"name": f"{a}-{b}", "bandwidth_Bps": r, "latency_s": l} for (a, b), (r, l) in rates.items()],
                "routes": [{"from": a, "to": b, "links": [f"{a}-{b}"]} for a, b in rates]}}},
        "network": {"subnets": [], "backbone": {"latency_s": 0}}, "nodes": [{"type": "h100", "count": 1}]}


def formats(bands):
    out = []
    for part in bands.split(","):
        below, _, precision = part.rpartition(":")
        out.append({"precision": precision} | ({"below": int(below)} if below else {}))
    return out


def simulate(program, folder, nt, nb, workers, bands, sharing="equal"):
    application = {"type": "cholesky", "nt": nt, "nb": nb}
    if bands != "double":
        application["tile_formats"] = {"bands": formats(bands), "conversion": "sender"}
    # The program has no cost of allocation: its memory is there from the start.
    runtime = {"workers_per_gpu": workers, "gpu_sharing": sharing, "gpu_malloc_cost_s": 0}
    scenario = {"format": "factosim-scenario", "version": 1, "platform": "platform.json", "application": application,
                "scheduler": {"type": "prio"}, "runtime": runtime}
    (folder / "scenario.json").write_text(json.dumps(scenario))
    run = subprocess.run([program, "run", folder / "scenario.json", "--json", "--quiet"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def real_seconds():
    """Medians by case, without the first of the runs, in which the GPU's libraries load their kernels."""
    seconds = {}
    for row in read("runs.csv"):
        if int(row["repeat"]) > 0:
            case = int(row["nt"]), int(row["nb"]), int(row["workers"]), row["format"]
            seconds.setdefault(case, []).append(float(row["seconds"]))
    return {case: statistics.median(s) for case, s in seconds.items()}


def print_table(simulated, by_occupancy, real):
    """Returns the root mean square and the largest difference with one worker, and those of the gains by formats."""
    errors, gains = {}, []
    print("| tiles | workers | bands | simulated, s | real, s | difference | gain over double, simulated | real | by occupancy, s | difference |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for nt, nb, workers, bands in CASES:
        case, double = (nt, nb, workers, bands), (nt, nb, workers, "double")
        error = simulated[case] / real[case] - 1
        errors.setdefault(f"workers {workers}", []).append(error)
        by_formats = "| |"
        if bands != "double":
            gain = simulated[double] / simulated[case], real[double] / real[case]
            by_formats = f"{gain[0]:.2f} | {gain[1]:.2f} |"
            if workers == 1:
                gains.append(gain[0] / gain[1] - 1)
        shared = " | |"
        if workers > 1:
            error_shared = by_occupancy[case] / real[case] - 1
            errors.setdefault(f"workers {workers}, by occupancy", []).append(error_shared)
            shared = f" {by_occupancy[case]:.3f} | {100 * error_shared:+.1f} % |"
        print(f"| {nt} x {nt} of {nb} | {workers} | {bands} | {simulated[case]:.3f} | {real[case]:.3f} | {100 * error:+.1f} % | {by_formats}{shared}")

    def figures(values):
        return math.sqrt(sum(v * v for v in values) / len(values)), max(values, key=abs)

    for name, values in errors.items():
        rms, worst = figures(values)
        print(f"{name}: mean {100 * statistics.mean(values):+.1f} %, rms {100 * rms:.1f} %, largest {100 * worst:+.1f} %")
    rms, worst = figures(gains)
    print(f"gains by formats, one worker: rms {100 * rms:.1f} %, largest {100 * worst:+.1f} %")
    return figures(errors["workers 1"]), figures(gains)


def print_estimates():
    """Kernels of the preset, which was made without measurements of this GPU, against those that were measured."""
    kernels = shipped("h100x4")
    flops = {"gemm": 2, "trsm": 1, "syrk": 1, "potrf": 1 / 3}
    errors = {}
    print("| kernel | precision | tile | estimated, ms | measured, ms | difference |\n|---|---|---|---|---|---|")
    for row in read("kernels.csv"):
        name, precision, nb = row["kernel"], row["precision"], int(row["nb"])
        of = [t for t in kernels.get(name, []) if t["worker"] == "cuda0" and t["precision"] == precision]
        if name not in flops or not of:
            continue
        t = of[0]
        estimated = (t.get("launch_s", 0) + t.get("per_column_s", 0) * nb + t.get("per_element_s", 0) * nb**2
                     + flops[name] * nb**3 / t["flops_per_second"])
        measured = float(row["mean_s"])
        errors.setdefault(name, []).append(estimated / measured - 1)
        print(f"| {name} | {precision} | {nb} | {1e3 * estimated:.4g} | {1e3 * measured:.4g} | {100 * errors[name][-1]:+.0f} % |")
    for name, of in errors.items():
        print(f"{name}: rms {100 * math.sqrt(statistics.mean(e * e for e in of)):.0f} %, largest {100 * max(of, key=abs):+.0f} %")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("program")
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--calibrated", action="store_true")
    parser.add_argument("--estimates", action="store_true")
    arguments = parser.parse_args()
    if arguments.estimates:
        return print_estimates()
    simulated, by_occupancy = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernels.json").write_text(json.dumps(kernel_file(arguments.calibrated)))
        (folder / "platform.json").write_text(json.dumps(platform()))
        if arguments.predict:
            print("format,nt,nb,workers,tasks,seconds")
        for case in CASES:
            nt, nb, workers, bands = case
            result = simulate(arguments.program, folder, *case)
            simulated[case] = result["makespan_s"]
            if workers > 1 and not arguments.predict:
                by_occupancy[case] = simulate(arguments.program, folder, *case, "occupancy")["makespan_s"]
            if arguments.predict:
                print(f'"{bands}",{nt},{nb},{workers},{result["tasks"]},{result["makespan_s"]:.6f}', flush=True)
    if arguments.predict:
        return 0
    (rms, worst), (gain_rms, worst_gain) = print_table(simulated, by_occupancy, real_seconds())
    tasks = {row["tasks"] for row in read("runs.csv")}
    predicted_tasks = {row["tasks"] for row in read("predicted.csv")}
    if arguments.check and (tasks != predicted_tasks or rms > 0.07 or abs(worst) > 0.12 or abs(worst_gain) > 0.11):
        print("differences are larger than the page says, or graphs differ")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
