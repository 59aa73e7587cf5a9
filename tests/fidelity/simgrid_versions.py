#!/usr/bin/env python3
"""Makespans of the shipped scenarios under several versions of SimGrid, and under the network model maxmin.

    simgrid_versions.py PROGRAM           adds the columns of this program's SimGrid, and of maxmin, to simgrid_versions.csv
    simgrid_versions.py --check PROGRAM   runs each scenario and compares it with its expected.json and with the table; what takes
                                          at most 0.2 s also under the other models

Makespans in seconds, all digits. Rings and data-parallel loops have no choice of the network model, and no row.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TABLE = pathlib.Path(__file__).with_suffix(".csv")
SHORT_S = 0.2


def scenarios():
    """Returns the shipped scenarios: name, file, and whether there is a choice of the network model."""
    for path in sorted((ROOT / "scenarios").rglob("*.json")):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and document.get("format") == "factosim-scenario":
            yield str(path.relative_to(ROOT / "scenarios")), path, document["application"]["type"] not in ("ring", "data-parallel")


def run(program, path, model=None):
    """Returns the result of a scenario, under its own network model or another one."""
    settings = ["--set", f"network/model={model}"] if model else []
    done = subprocess.run([program, "run", str(path), "--json", *settings], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path} under {model or 'its own model'}: {done.stderr}")
    return json.loads(done.stdout)


def unexpected(path, result):
    """Yields what differs from the expected.json beside a scenario; another compiler may round differently."""
    expected = json.loads((path.parent / "expected.json").read_text())[path.name]
    for key in ("tasks", "tiles_sent", "estimate"):
        if key in expected and result[key] != expected[key]:
            yield f"{key} {result[key]}, expected {expected[key]}"
    if "estimate" not in expected or abs(result["makespan_s"] / expected["makespan_s"] - 1) > 0.01:
        yield f"{result['makespan_s']} s, expected {expected}"


def check(program, rows, models):
    """Returns how many makespans were compared, and what is wrong."""
    failed, compared = [], 0
    for name, path, networked in scenarios():
        own = run(program, path)
        failed += [f"{name}: {difference}" for difference in unexpected(path, own)]
        if not networked:
            continue
        if name not in rows:
            failed.append(f"{name} is not in the table. Run simgrid_versions.py without --check")
            continue
        row, short = rows[name], float(rows[name]["seconds"]) <= SHORT_S
        for column, model in models.items():
            is_own = own["provenance"]["options"]["network"]["model"] == model
            if not row.get(column) or not (is_own or short):  # not measured since the scenario changed
                continue
            makespan = repr((own if is_own else run(program, path, model))["makespan_s"])
            compared += 1
            if makespan != row[column]:
                failed.append(f"{name} under {column}: {makespan} s, in the table {row[column]} s")
        known = [float(value) for key, value in row.items() if value and key not in ("scenario", "seconds")]
        if max(known) > 1.01 * min(known):
            failed.append(f"{name}: the models differ by more than 1 %: {known}")
        # Without sharing nothing is slower than by the variability of a schedule.
        if short and run(program, path, "constant")["makespan_s"] > 1.02 * own["makespan_s"]:
            failed.append(f"{name} takes longer where no link is shared")
    return compared, failed


def main():
    program = sys.argv[-1]
    version = re.search(r"SimGrid (\d+\.\d+)", subprocess.run([program, "--version"], capture_output=True, text=True).stdout)
    models = {"maxmin": "maxmin"}
    if version:
        models["SimGrid " + version[1]] = "simgrid"
    rows = {row["scenario"]: row for row in csv.DictReader(TABLE.open())} if TABLE.exists() else {}
    if sys.argv[1] == "--check":
        compared, failed = check(program, rows, models)
        print(f"{compared} makespans compared", *failed, sep="\n")
        sys.exit(bool(failed))
    for name, path, networked in scenarios():
        for column, model in models.items() if networked else ():
            result, row = run(program, path, model), rows.setdefault(name, {"scenario": name})
            row[column] = repr(result["makespan_s"])
            row.setdefault("seconds", f"{result['simulation']['cpu_s']:.1f}")
    columns = ["scenario", "seconds"] + sorted({key for row in rows.values() for key in row} - {"scenario", "seconds"})
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name, _, networked in scenarios() if networked)


main()
