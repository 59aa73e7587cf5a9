#!/usr/bin/env python3
"""How far off kernel times are on a GPU, or a core, that was not measured.

    tests/models/leave_one_out.py [--kernels FOLDER]

The form of rates (`factosim-kernels`) is t(b) = launch + column b + w(b) / (e P): w operations on tiles of b, P the peak of the GPU, or of the core, in double precision. For
each kernel, `column` and `e` are fitted to the relative errors on all measured machines but one, each with the same weight, and the one that was left out is predicted. The launch
of a GPU takes 5 us; cores have neither launch nor `column`. Prints the fit over all machines, the error of each prediction, and by kernel the root mean square and the largest error.
Measured: models/kernels.

--precisions: gemm in single precision, TF32, half and bfloat16 (published_gemm.csv, measured by others with cuBLAS and rocBLAS at 1024, 2048 and 4096 rows) by
t(b) = launch + 2 b^3 (1 + h / b) / (e P), P the peak of the data sheet in that precision; a GPU is left out with all its cards and precisions. Prints the fit of each GPU too.
"""
import argparse
import csv
import json
import math
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = 5e-6
# Peaks in double precision at the base clock, operations/s, of the GPU of each file: data sheets. The A100's is that of its tensor cores.
PEAKS = {"attila": 515e9, "mirage": 515e9, "sirocco": 1430e9, "sirocco-k40m": 1430e9, "sirocco-p100": 4700e9, "sirocco-v100": 7000e9, "sirocco-a100": 19500e9}
# Of a core at the base clock: X5650; E5-2680 v3; E5-2683 v4; Gold 6148; EPYC 7402; Xeon of the fourth generation.
CORES = {"attila": 10.6e9, "mirage": 10.6e9, "sirocco": 40e9, "sirocco-k40m": 40e9, "sirocco-p100": 33.6e9, "sirocco-v100": 76.8e9, "sirocco-a100": 44.8e9, "spr2c": 64e9}
OPERATIONS = {"gemm": 2, "syrk": 1, "trsm": 1, "potrf": 1 / 3, "getrf": 2 / 3, "geqrt": 4 / 3, "tpqrt": 2, "ormqr": 2, "tpmqrt": 4}
NAMES = {"trsm_ll": "trsm", "trsm_ru": "trsm"}
# Timings of the A100 that are left out: gemm of tile 800 is above the peak, and syrk of that tile faster than that of 1600.
DOUBTFUL = {("sirocco-a100", "cuda0", "gemm", 800), ("sirocco-a100", "cuda0", "syrk", 800)}


def measured(folder, worker, peaks):
    """Returns {kernel: {machine: [(rows of the tile, seconds)]}} in double precision. Tiles below 320 are left out."""
    out = {}
    for machine in peaks:
        kernels = json.loads((folder / f"{machine}.json").read_text())["kernels"]
        rows = [(NAMES.get(name, name), t["nb"], t["mean_s"]) for name, timings in kernels.items() for t in timings
                if t["worker"] == worker and t["precision"] == "double" and t["nb"] >= 320 and (machine, worker, name, t["nb"]) not in DOUBTFUL]
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


def fit_halves(points):
    """Returns e and h of points (rows, seconds, peak, weight), e at most 1 and h not negative, with the least squares of relative errors."""
    a11 = a12 = a22 = b1 = b2 = 0
    for b, seconds, peak, weight in points:
        x = 2 * b**3 / peak / seconds
        y, target = x / b, 1 - LAUNCH / seconds
        a11 += weight * x * x
        a12 += weight * x * y
        a22 += weight * y * y
        b1 += weight * x * target
        b2 += weight * y * target
    determinant = a11 * a22 - a12 * a12
    inverse, product = (b1 * a22 - b2 * a12) / determinant, (a11 * b2 - a12 * b1) / determinant
    if inverse < 1:
        inverse, product = 1, (b2 - a12) / a22
    if product < 0:
        inverse, product = b1 / a11, 0
    return 1 / inverse, product / inverse


def predicted(b, peak, e, h):
    return LAUNCH + 2 * b**3 * (1 + h / b) / (e * peak)


def by_precision(groups):
    """Prints the fit of each GPU and precision, and for groups of precisions how far off a GPU is that was left out."""
    rows = {}
    for row in csv.DictReader((pathlib.Path(__file__).parent / "published_gemm.csv").open()):
        b, peak = int(row["rows"]), 1e12 * float(row["peak_TFlops"])
        rows.setdefault((row["device"], row["precision"]), []).append((b, 2 * b**3 / (1e12 * float(row["TFlops"])), peak, 1))
    print("| gemm, GPU | precisions | e | h, rows | fit: error in % at 1024, 2048, 4096 |\n|---|---|---|---|---|")
    for device in sorted({device for device, _ in rows}):
        for group in groups:
            own = {precision: rows[device, precision] for precision in group if (device, precision) in rows}
            if not own:
                continue
            e, h = fit_halves([point for points in own.values() for point in points])
            texts = [f"{precision} " + ", ".join(f"{100 * (predicted(b, p, e, h) / s - 1):+.0f}" for b, s, p, _ in points) for precision, points in own.items()]
            print(f"| {device} | {', '.join(own)} | {e:.2f} | {h:.0f} | {'; '.join(texts)} |")
    print("\n| gemm, precisions | e | h, rows | left out: error in % at 1024, 2048, 4096 | root mean square | largest |\n|---|---|---|---|---|---|")
    for group in groups:
        chosen = {key: points for key, points in rows.items() if key[1] in group}
        chips = sorted({device.split()[0] for device, _ in chosen})
        weighted = lambda without: [(b, s, p, 1 / sum(len(q) for k, q in chosen.items() if k[0].split()[0] == key[0].split()[0]))
                                    for key, points in chosen.items() if key[0].split()[0] != without for b, s, p, _ in points]
        e, h = fit_halves(weighted(None))
        texts, squares = [], []
        for chip in chips:
            own = fit_halves(weighted(chip))
            errors = []
            for (device, precision), points in chosen.items():
                if device.split()[0] == chip:
                    errors += [predicted(b, p, *own) / s - 1 for b, s, p, _ in points]
                    texts.append(f"{device} {precision} " + ", ".join(f"{100 * x:+.0f}" for x in errors[-len(points):]))
            squares.append((sum(x * x for x in errors) / len(errors), max(abs(x) for x in errors)))
        print(f"| {', '.join(group)} | {e:.2f} | {h:.0f} | {'; '.join(texts)} | {100 * math.sqrt(sum(s for s, _ in squares) / len(squares)):.0f} % | "
              f"{100 * max(x for _, x in squares):.0f} % |")


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
    parser.add_argument("--precisions", action="store_true")
    arguments = parser.parse_args()
    if arguments.precisions:
        return by_precision([("single",), ("tf32",), ("half", "bfloat16")])
    folder = arguments.kernels
    table("GPU", measured(folder, "cuda0", PEAKS), PEAKS, LAUNCH)
    print()
    table("core", measured(folder, "cpu", CORES), CORES, 0)


if __name__ == "__main__":
    main()
