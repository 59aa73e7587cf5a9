#!/usr/bin/env python3
"""Predicts runs of native_cholesky.cu, real tile Cholesky in several precisions on one GPU, and compares with them.

usage: native_gpu.py PROGRAM [--calibrated | --estimates]

kernels.csv has the durations that `native_cholesky kernels` measured, runs.csv what `native_cholesky run` did; the
predictions made before, and their check, are in ../ledger. Cases are simulated again and compared, with the gains by formats,
those with several workers by both rules of `runtime/gpu_sharing`. --calibrated takes durations from the shipped kernel file of
the GPU where it has them, measured after the runs; --estimates compares the estimated kernels of the preset h100x4 with
kernels.csv instead."""

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
LEDGER = HERE.parent / "ledger/h100"
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
    """The durations of one worker that the ledger's predictions have."""
    file = json.loads((LEDGER / "kernels.json").read_text())
    for name, timings in file["kernels"].items() if calibrated else ():
        means = {(t["precision"], t["nb"]): t["mean_s"] for t in shipped("h100").get(name, [])}
        for timing in timings:
            if "mean_s" in timing:
                timing["mean_s"] = means.get((timing["precision"], timing["nb"]), timing["mean_s"])
    return file


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
    parser.add_argument("--calibrated", action="store_true")
    parser.add_argument("--estimates", action="store_true")
    arguments = parser.parse_args()
    if arguments.estimates:
        return print_estimates()
    simulated, by_occupancy = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernels.json").write_text(json.dumps(kernel_file(arguments.calibrated)))
        (folder / "platform.json").write_bytes((LEDGER / "platform.json").read_bytes())
        for case in CASES:
            simulated[case] = simulate(arguments.program, folder, *case)["makespan_s"]
            if case[2] > 1:
                by_occupancy[case] = simulate(arguments.program, folder, *case, "occupancy")["makespan_s"]
    print_table(simulated, by_occupancy, real_seconds())


if __name__ == "__main__":
    main()
