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
    """Edges: those of DependsOn between tasks of the file, and those of accesses."""
    with gzip.open(folder / "rec.tasks.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row.get("Control") != "WontUse"]
    rows.sort(key=lambda row: int(row["SubmitOrder"].split("_")[-1] or 0))
    ids = {row["JobId"] for row in rows}
    edges, writer, readers = set(), {}, {}
    for row in rows:
        task = row["JobId"]
        edges |= {(before, task) for before in row["DependsOn"].split() if before in ids}
        modes = {}
        for handle, mode in zip(row["Handles"].split(), row["Modes"].split()):
            if "S" not in mode:
                key = (row["MPIRank"], handle)
                modes[key] = modes.get(key, "") + mode
        for key, mode in modes.items():
            if "W" in mode and readers.get(key):
                edges |= {(reader, task) for reader in readers[key]}
            elif key in writer:
                edges.add((writer[key], task))
            if "W" in mode:
                writer[key], readers[key] = task, []
            else:
                readers.setdefault(key, []).append(task)
    return len(ids), len(edges), None


def counts(path):
    if path.is_dir():
        return "starvz", *starvz(path)
    text = path.read_text()
    if text.lstrip().startswith("{"):
        document = json.loads(text)
        return ("wfformat", *wfformat(document)) if "workflow" in document else ("saga", *saga(document))
    return ("dot", *dot(text)) if text.lstrip().startswith("digraph") else ("stg", *stg(text))


def kernels(program, folder):
    """Exports the graph of original.json and gives each of its kernels a duration."""
    platform = json.loads((folder / "platform.json").read_text())
    (folder / "kernels.json").write_text(json.dumps({"format": "factosim-kernels", "version": 1, "machine": "node",
                                                     "provenance": "none", "estimate": True, "kernels": {}}))
    platform["node_types"]["node"]["kernels"] = "kernels.json"
    (folder / "platform.json").write_text(json.dumps(platform))
    subprocess.run([program, "export", str(folder / "original.json"), "--format", "graph-jsonl", "-o",
                    str(folder / "exported.jsonl"), "--force"], check=True)
    with open(folder / "graph.jsonl", "w") as out:
        for line in open(folder / "exported.jsonl"):
            row = json.loads(line)
            if "kernel" in row and "task" not in row and not row.get("free"):
                row["cpu_s"] = 0.01
            out.write(json.dumps(row) + "\n")


def simulate(program, folder, path, nodes, starpu):
    platform = {"node_types": {"node": {"cores": 8, "ram_bytes": 64000000000000, "nic": {"bandwidth_Bps": 1.25e9, "latency_s": 1e-5}}},
                "network": {"subnets": []}, "nodes": [{"type": "node", "count": nodes}]}
    (folder / "platform.json").write_text(json.dumps({"format": "factosim-platform", "version": 1, **platform}))
    platform = "platform.json"
    application = {"type": "graph", "file": str(path)}
    if starpu:  # no durations in the file: 10 ms for each kernel, in our own format
        (folder / "original.json").write_text(json.dumps(
            {"platform": platform, "application": {**application, "durations": "platform", "nb": 960}}))
        kernels(program, folder)
        application["file"] = "graph.jsonl"
    if path.suffix == ".dot":
        application["time_unit_s"] = 1e-9
    scenario = {"platform": platform, "application": application, "network": {"model": "maxmin"}, "outputs": {"trace": True}}
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
