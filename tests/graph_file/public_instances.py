#!/usr/bin/env python3
"""Compares what factosim reads of public task graphs with a second reader.

usage: public_instances.py PROGRAM FOLDER

Reads each graph in FOLDER (WfFormat, SAGA, STG, DOT with sizes, StarVZ folders) with parsers of its own, counts tasks and
edges, sums durations, and simulates it with PROGRAM on one node of 8 cores and on two nodes. Prints a row for each and fails
if a count, a sum or a bound disagrees.
"""
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def wfformat(document):
    workflow = document["workflow"]
    tasks = workflow["specification"]["tasks"] if "specification" in workflow else workflow["tasks"]
    measured = workflow.get("execution", {}).get("tasks", tasks)
    seconds = sum(t.get("runtimeInSeconds", t.get("runtime", 0)) for t in measured)
    key = "id" if "specification" in workflow else "name"
    return len(tasks), len({(p, t[key]) for t in tasks for p in t["parents"]}), seconds


def saga(document):
    graph = document["task_graph"]
    edges = {(d["source"], d["target"]) for d in graph["dependencies"]}
    return len(graph["tasks"]), len(edges), sum(t["cost"] for t in graph["tasks"])


def stg(text):
    rows = [[int(word) for word in line.split()] for line in text.splitlines()[1:]
            if line.strip() and not line.lstrip().startswith("#")]
    if any(len(row) == 2 for row in rows):  # costs of communication: a predecessor and its cost on each line
        tasks = [row for row in rows if len(row) >= 3]
        return len(tasks), len(rows) - len(tasks), sum(row[1] for row in tasks)
    return len(rows), len({(b, row[0]) for row in rows for b in row[3:]}), sum(row[1] for row in rows)


def dot(text):
    edges = set(re.findall(r"(\w+)\s*->\s*(\w+)", text))
    sizes = {v: float(s) for v, s in re.findall(r"^\s*(\w+)\s*\[size=\"([^\"]*)\"\]", text, re.M)}
    return len({v for edge in edges for v in edge} | set(sizes)), len(edges), sum(sizes.values())


def starvz(folder):
    def rows(name):
        return list(csv.DictReader(gzip.open(folder / (name + ".csv.gz"), "rt")))
    ids = {row["JobId"] for row in rows("rec.tasks") if row["Control"] not in ("WontUse",)}
    return len(ids), None, None


def counts(path):
    if path.is_dir():
        return "starvz", *starvz(path)
    text = path.read_text()
    if text.lstrip().startswith("{"):
        document = json.loads(text)
        return ("wfformat", *wfformat(document)) if "workflow" in document else ("saga", *saga(document))
    return ("dot", *dot(text)) if text.lstrip().startswith("digraph") else ("stg", *stg(text))


def simulate(program, folder, path, nodes, starpu):
    platform = {"node_types": {"node": {"cores": 8, "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 1e-5}}},
                "nodes": [{"type": "node", "count": nodes}]}
    if starpu:  # no durations in the file: those of a machine
        platform = {"file": "mirage", "nodes": [{"type": "mirage", "count": nodes}]}
    else:
        (folder / "platform.json").write_text(json.dumps({"format": "factosim-platform", "version": 1, **platform}))
        platform = "platform.json"
    application = {"type": "graph", "file": str(path)}
    if path.suffix == ".dot":
        application["time_unit_s"] = 1e-9
    scenario = {"platform": platform, "application": application, "network": {"model": "maxmin"}}
    if nodes > 1:
        application["placement"] = "earliest-finish"
    (folder / "scenario.json").write_text(json.dumps(scenario))
    run = subprocess.run([program, "run", str(folder / "scenario.json"), "--json", "--out", str(folder / "run"), "--force"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{path}: {run.stderr}")
    check = subprocess.run([program, "check", str(folder / "run")], capture_output=True, text=True)
    if check.returncode != 0:
        raise SystemExit(f"{path}: check: {check.stdout}{check.stderr}")
    return json.loads(run.stdout)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, failures = sys.argv[1], 0
    print("| file | format | tasks | edges | 8 cores: bound s, makespan s | 2 nodes: bound s, makespan s |\n|---|---|---|---|---|---|")
    for path in sorted(pathlib.Path(sys.argv[2]).resolve().iterdir()):
        form, tasks, edges, seconds = counts(path)
        cells = []
        with tempfile.TemporaryDirectory() as folder:
            for nodes in (1, 2):
                result = simulate(program, pathlib.Path(folder), path, nodes, form == "starvz")
                read = result["provenance"]["options"]["application"]
                bound, makespan = result["bounds"]["problem_s"], result["makespan_s"]
                cells.append(f"{bound:.6g}, {makespan:.6g}")
                unit = 1e-9 if form == "dot" else 1
                wrong = [read["tasks"] != tasks, edges is not None and read["edges"] != edges, bound > makespan,
                         seconds is not None and makespan > 1.01 * (seconds * unit + 1e-5 * tasks + 100),
                         seconds is not None and makespan < seconds * unit / 8 / nodes * (1 - 1e-9)]
                if any(wrong):
                    failures += 1
                    print(f"{path.name}: {tasks} tasks, {edges} edges expected: {read}, {wrong}", file=sys.stderr)
        print(f"| {path.name} | {form} | {read['tasks']} | {read['edges']} | {cells[0]} | {cells[1]} |")
    raise SystemExit(1 if failures else 0)


main()
