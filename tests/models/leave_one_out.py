#!/usr/bin/env python3
"""How far off kernel times are on a GPU, or a core, that was not measured.

    tests/models/leave_one_out.py [--kernels FOLDER]

The form of rates (`factosim-kernels`) is t(b) = launch + column b + w(b) / (e P): w operations on tiles of b, P the peak of the GPU, or of the core, in double precision. For
each kernel, `column` and `e` are fitted to the relative errors on all measured machines but one, each with the same weight, and the one that was left out is predicted. The launch
of a GPU takes 5 us; cores have neither launch nor `column`. Prints the fit over all machines, the error of each prediction, and by kernel the root mean square and the largest error.
Measured: models/kernels, and an A100 by others.
"""
import argparse
import json
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = 5e-6
# Peaks in double precision at the base clock, operations/s, of the GPU of each file: data sheets. The A100's is that of its tensor cores.
PEAKS = {"attila": 515e9, "mirage": 515e9, "sirocco": 1430e9, "sirocco-k40m": 1430e9, "sirocco-p100": 4700e9, "sirocco-v100": 7000e9, "A100": 19500e9}
# Of a core at the base clock: X5650; E5-2680 v3; E5-2683 v4; Gold 6148; Xeon of the fourth generation.
CORES = {"attila": 10.6e9, "mirage": 10.6e9, "sirocco": 40e9, "sirocco-k40m": 40e9, "sirocco-p100": 33.6e9, "sirocco-v100": 76.8e9, "spr2c": 64e9}
OPERATIONS = {"gemm": 2, "syrk": 1, "trsm": 1, "potrf": 1 / 3, "getrf": 2 / 3, "geqrt": 4 / 3, "tpqrt": 2, "ormqr": 2, "tpmqrt": 4}
NAMES = {"trsm_ll": "trsm", "trsm_ru": "trsm"}
# Chameleon's public models of sirocco-a100-ctest (A100 PCIe 40 GB); gemm and syrk at 800 are left out: gemm is above the peak.
A100 = [("gemm", 1600, 516e-6), ("syrk", 1600, 310e-6), ("trsm", 800, 334e-6), ("trsm", 1600, 1111e-6), ("potrf", 800, 1199e-6), ("potrf", 1600, 2840e-6)]


def measured(folder, worker, peaks):
    """Returns {kernel: {machine: [(rows of the tile, seconds)]}} in double precision. Tiles below 320 are left out."""
    out = {}
    for machine in peaks:
        if machine == "A100":
            rows = A100
        else:
            kernels = json.loads((folder / f"{machine}.json").read_text())["kernels"]
            rows = [(NAMES.get(name, name), t["nb"], t["mean_s"]) for name, timings in kernels.items() for t in timings
                    if t["worker"] == worker and t["precision"] == "double" and t["nb"] >= 320]
        for kernel, b, seconds in rows:
            if kernel in OPERATIONS:
                out.setdefault(kernel, {}).setdefault(machine, []).append((b, seconds))
    return out


def fit(kernel, machines, peaks, launch):
    """Returns seconds per column and 1 / e, neither negative, with the least squares of relative errors."""
    a11 = a12 = a22 = b1 = b2 = 0
    for machine, points in machines.items():
        for b, seconds in points:
            weight = 1 / len(points)
            x, y = b / seconds, OPERATIONS[kernel] * b**3 / peaks[machine] / seconds
            target = 1 - launch / seconds
            a11 += weight * x * x
            a12 += weight * x * y
            a22 += weight * y * y
            b1 += weight * x * target
            b2 += weight * y * target
    if launch == 0:
        return 0, b2 / a22
    determinant = a11 * a22 - a12 * a12
    if determinant > 1e-9 * a11 * a22:
        column, inverse = (b1 * a22 - b2 * a12) / determinant, (a11 * b2 - a12 * b1) / determinant
        if column >= 0 and inverse >= 0:
            return column, inverse
    options = [(0, b2 / a22), (b1 / a11, 0)]
    return min(options, key=lambda p: p[0]**2 * a11 + 2 * p[0] * p[1] * a12 + p[1]**2 * a22 - 2 * p[0] * b1 - 2 * p[1] * b2)


def table(title, data, peaks, launch):
    print(f"| kernel, {title} | us per column | e | left out: error in % (rows of the tile) | root mean square | largest |\n|---|---|---|---|---|---|")
    for kernel in OPERATIONS:
        machines = data.get(kernel, {})
        if len(machines) < 3:
            continue
        column, inverse = fit(kernel, machines, peaks, launch)
        texts, squares = [], []
        for machine, points in machines.items():
            own_column, own_inverse = fit(kernel, {m: p for m, p in machines.items() if m != machine}, peaks, launch)
            errors = [(b, (launch + own_column * b + own_inverse * OPERATIONS[kernel] * b**3 / peaks[machine]) / seconds - 1) for b, seconds in points]
            texts.append(f"{machine} " + ", ".join(f"{100 * e:+.0f} ({b})" for b, e in errors))
            squares += [(e * e, len(errors)) for _, e in errors]
        mean = math.sqrt(sum(s / n for s, n in squares) / sum(1 / n for _, n in squares))
        efficiency = f"{1 / inverse:.2f}" if inverse > 0 else "none"
        print(f"| {kernel} | {1e6 * column:.2f} | {efficiency} | {'; '.join(texts)} | {100 * mean:.0f} % | {100 * math.sqrt(max(s for s, _ in squares)):.0f} % |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=pathlib.Path, default=ROOT / "models/kernels")
    folder = parser.parse_args().kernels
    table("GPU", measured(folder, "cuda0", PEAKS), PEAKS, LAUNCH)
    print()
    table("core", measured(folder, "cpu", CORES), CORES, 0)


if __name__ == "__main__":
    main()
