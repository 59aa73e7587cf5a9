#!/usr/bin/env python3
"""Makespans of the shipped scenarios under several versions of SimGrid, and under the network model maxmin.

    simgrid_versions.py PROGRAM           adds the columns of this program's SimGrid, and of maxmin, to simgrid_versions.csv
    simgrid_versions.py --check PROGRAM   compares what takes at most 0.2 s with the columns that are there

Makespans in seconds, all digits. Each scenario is run under both models, whichever it names; rings and data-parallel loops, which
have no choice of them, are left out.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = pathlib.Path(__file__).with_suffix(".csv")


def scenarios():
    """Returns the shipped scenarios with a choice of the network model: name and file."""
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        document = json.loads(path.read_text())
        if not isinstance(document, dict) or document.get("format") != "factosim-scenario":
            continue
        if document["application"]["type"] not in ("ring", "data-parallel"):
            yield str(path.relative_to(ROOT / "scenarios")), path


def run(program, path, model):
    """Returns (makespan with all digits, seconds of computing)."""
    done = subprocess.run([program, "run", str(path), "--json", "--set", f"/network/model={model}"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path} under {model}: {done.stderr}")
    result = json.loads(done.stdout)
    return repr(result["makespan_s"]), result["simulation"]["cpu_s"]


def main():
    check = sys.argv[1] == "--check"
    program = sys.argv[-1]
    version = re.search(r"SimGrid (\d+\.\d+)", subprocess.run([program, "--version"], capture_output=True, text=True).stdout)
    models = {"maxmin": "maxmin"}
    if version:
        models["SimGrid " + version[1]] = "simgrid"
    rows = {row["scenario"]: row for row in csv.DictReader(TABLE.open())} if TABLE.exists() else {}
    failed, compared = [], 0
    for name, path in scenarios():
        if check and name not in rows:
            failed.append(f"{name} is not in the table. Run simgrid_versions.py without --check")
            continue
        row = rows.setdefault(name, {"scenario": name})
        if check and (float(row["seconds"]) > 0.2 or not set(models) <= set(row)):
            continue
        for column, model in models.items():
            if check and not row[column]:  # not measured since the scenario changed
                continue
            makespan, seconds = run(program, path, model)
            if check:
                compared += 1
                if makespan != row[column]:
                    failed.append(f"{name} under {column}: {makespan} s, in the table {row[column]} s")
            else:
                row[column] = makespan
                row.setdefault("seconds", f"{seconds:.1f}")
    if check:
        print(f"{compared} makespans compared", *failed, sep="\n")
        sys.exit(bool(failed))
    columns = ["scenario", "seconds"] + sorted({key for row in rows.values() for key in row} - {"scenario", "seconds"})
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name, _ in scenarios())


main()
