#!/usr/bin/env python3
"""HPL by factosim against real runs on Grid'5000's cluster dahu: hpl.py PROGRAM [--experiment NAME] [--set KEY=VALUE]...

hpl_dahu.csv has the means of 1214 published runs (T. Cornebize, thesis of 2021; MIT licence, github.com/Ezibenroc/thesis,
data/prediction/validation) and what its author's simulation with SMPI predicted for each configuration.
Prints a row for each configuration, and the errors of each experiment. --check: fails where the mean error of an experiment
exceeds what tests/fidelity/README.md says.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SCENARIO = HERE.parents[1] / "scenarios/hpl/dahu.json"


def simulated(program, row, settings):
    """The performance in GFlop/s."""
    processes = int(row["p"]) * int(row["q"])
    cooling = row["experiment"].endswith("cooling")
    machine = "dahu-cooling" if cooling else "dahu"
    platform = {"file": "dahu.platform.json", "nodes": [{"type": machine, "count": (processes + 31) // 32}]}
    options = [f"/platform={json.dumps(platform)}", *(f"/application/{key}={row[key]}" for key in
               ("n", "nb", "p", "q", "broadcast", "lookahead", "swap"))]
    if row["swap"] == "mix":
        options.append(f"/application/swap_threshold={row['nb']}")
    command = [program, "run", str(SCENARIO), "--json"]
    for option in options + settings:
        command += ["--set", option]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["gflops"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--experiment")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="KEY=VALUE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    errors = collections.defaultdict(list)
    smpi = collections.defaultdict(list)
    print(f"{'experiment':14}{'n':>8}{'nb':>5}{'p':>5}{'q':>5} {'broadcast':10}{'depth':>6} {'swap':16}{'real':>8}{'factosim':>10}{'%':>8}{'SMPI %':>8}")
    with open(HERE / "hpl_dahu.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if options.experiment and row["experiment"] != options.experiment:
                continue
            real, ours = float(row["gflops"]), simulated(options.program, row, options.settings)
            error = 100 * (ours / real - 1)
            errors[row["experiment"]].append(error)
            theirs = 100 * (float(row["smpi_gflops"]) / real - 1) if row["smpi_gflops"] else None
            if theirs is not None:
                smpi[row["experiment"]].append(theirs)
            print(f"{row['experiment']:14}{row['n']:>8}{row['nb']:>5}{row['p']:>5}{row['q']:>5} {row['broadcast']:10}{row['lookahead']:>6} "
                  f"{row['swap']:16}{real:8.0f}{ours:10.0f}{error:+8.1f}" + (f"{theirs:+8.1f}" if theirs is not None else ""), flush=True)
    failed = False
    for name, values in errors.items():
        def text(numbers):
            return (f"mean {sum(numbers) / len(numbers):+.1f} %, mean magnitude {sum(map(abs, numbers)) / len(numbers):.1f} %, "
                    f"largest {max(numbers, key=abs):+.1f} %")
        print(f"{name}: {len(values)} configurations; factosim {text(values)}; SMPI {text(smpi[name])}")
        failed = failed or options.check and sum(map(abs, values)) / len(values) > LIMITS[name]
    return 1 if failed else 0


LIMITS = {"size": 5.5, "size-cooling": 4.6, "geometry": 11.8, "factorial": 5.5}  # mean magnitude in %

if __name__ == "__main__":
    raise SystemExit(main())
