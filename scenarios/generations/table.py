#!/usr/bin/env python3
"""Prints the tables of the study from results of its sweeps.

    scenarios/generations/table.py SWEEP.csv...

Per size and set of nodes: the map with the least mean makespan, and the 95 % prediction interval of one further run; then what each map takes on all nodes.
"""
import csv
import statistics
import sys

T_QUANTILES = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # of Student, 97.5 %, by the number of runs


def interval(values):
    half = T_QUANTILES[len(values)] * statistics.stdev(values) * (1 + 1 / len(values)) ** 0.5
    mean = statistics.mean(values)
    return f"{mean:.3g} ({mean - half:.3g} to {mean + half:.3g})"


def main():
    for path in sys.argv[1:]:
        runs = {}
        for row in csv.DictReader(open(path, newline="")):
            if row["status"] == "done":
                runs.setdefault((int(row["application/nt"]), row["on"], row["distribution"]), []).append((float(row["makespan_s"]), float(row["gflops"]), int(row["tiles_sent"])))
        sizes, sets = sorted({key[0] for key in runs}), list(dict.fromkeys(key[1] for key in runs))
        maps = list(dict.fromkeys(key[2] for key in runs))
        mean = {key: statistics.mean(run[0] for run in found) for key, found in runs.items()}
        print(f"{path}: seconds, the best map of each set of nodes\n\n| N | " + " | ".join(sets) + " | best, TFlop/s |\n|---" * 1 + "|---" * (len(sets) + 1) + "|")
        for nt in sizes:
            cells, of_size = [], [key for key in mean if key[0] == nt]
            best = min(of_size, key=mean.get)
            for on in sets:
                key = min((k for k in of_size if k[1] == on), key=mean.get)
                text = f"{key[2]}: {interval([run[0] for run in runs[key]])}"
                cells.append(f"**{text}**" if key == best else text)
            print(f"| {nt} | " + " | ".join(cells) + f" | {statistics.mean(run[1] for run in runs[best]) / 1e3:.1f} |")
        for on in sets[:2]:
            print(f"\nseconds and tiles sent on {on}\n\n| N | " + " | ".join(maps) + " |\n|---" + "|---" * len(maps) + "|")
            for nt in sizes:
                print(f"| {nt} | " + " | ".join(f"{interval([run[0] for run in runs[nt, on, m]])}, {runs[nt, on, m][0][2]}" if (nt, on, m) in runs else "-" for m in maps) + " |")
        print()


if __name__ == "__main__":
    main()
