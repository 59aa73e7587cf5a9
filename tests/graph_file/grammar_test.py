#!/usr/bin/env python3
"""Graphs of tasks in files that are drawn from the grammar of each format are read as they mean.

usage: grammar_test.py [COUNT [SEED [FORMAT...]]]

Needs the package factosim. Prints each file that is read otherwise, with what differs.
"""
import contextlib
import json
import os
import sys
import tempfile
import warnings

import factosim
import grammar
from drawing import Task


def read(file, format_name):
    warnings.simplefilter("ignore")
    if format_name in ("dax", "formatted-tasks"):
        return factosim.convert(file)
    return factosim.read_graph("." if len(os.listdir()) > 1 else file)


def contents(graph):
    """Returns tasks, edges, accesses of a graph that was read, in the words of drawing.Drawn."""
    graph.save("out.jsonl", force=True)
    with open("out.jsonl") as file:
        lines = [json.loads(line) for line in file]
    own = {line["kernel"]: line for line in lines if "kernel" in line and "task" not in line}
    data = {line["data"]: line["bytes"] for line in lines if "data" in line}
    rows = [line for line in lines if "task" in line]
    ids = [str(row["task"]) for row in rows]
    tasks, edges, writer = {}, {}, {}
    for name, row in zip(ids, rows):
        seconds = {k[:-2]: v for source in (own.get(row["kernel"], {}), row) for k, v in source.items() if k.endswith("_s") and k != "deviation_s"}
        free = own.get(row["kernel"], {}).get("free")
        tasks[name] = Task(row["kernel"], {"cpu": 0.0} if free and not seconds else seconds)
    for t, name in enumerate(ids):
        for s in graph.successors[graph.successor_begin[t]:graph.successor_begin[t + 1]]:
            edges[name, ids[s]] = None
    accesses = {name: [(data[d], mode) for d, mode in row.get("accesses", ())] for name, row in zip(ids, rows)}
    for name, row in zip(ids, rows):
        for datum, mode in row.get("accesses", ()):
            if mode == "W":
                writer[datum] = name
            elif (writer.get(datum), name) in edges:
                edges[writer[datum], name] = (edges[writer[datum], name] or 0) + data[datum]
    return tasks, edges, accesses


def closure(edges, ids):
    after = {name: {b for a, b in edges if a == name} for name in ids}
    out = set()
    for name in ids:
        seen, open_ = set(), [name]
        while open_:
            for other in after.get(open_.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
        out |= {(name, other) for other in seen}
    return out


def differences(drawn, format_name):
    for name in os.listdir():
        os.remove(name)
    for name, text in drawn.files.items():
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    try:
        tasks, edges, accesses = contents(read(next(iter(drawn.files)), format_name))
    except factosim.InputError as error:
        return [f"refused: {error}"]
    out = []
    if set(tasks) != set(drawn.tasks):
        return [f"tasks {sorted(tasks)} instead of {sorted(drawn.tasks)}"]
    for name, expected in drawn.tasks.items():
        found = tasks[name]
        if found.kernel != expected.kernel:
            out.append(f"task {name}: kernel {found.kernel} instead of {expected.kernel}")
        if set(expected.seconds.values()) == {0} == set(found.seconds.values()):
            continue  # no time is written as that of a core
        if set(found.seconds) != set(expected.seconds) or any(abs(found.seconds[w] - s) > 1e-9 * s for w, s in expected.seconds.items()):
            out.append(f"task {name}: {found.seconds} instead of {expected.seconds}")
    if drawn.closed:
        found, expected = closure(edges, tasks), closure(drawn.edges, tasks)
        out += [f"no edge {pair}" for pair in expected - found] + [f"an edge {pair}" for pair in found - expected]
        out += [f"task {name}: data {sorted(accesses[name])} instead of {drawn.accesses[name]}" for name in tasks if sorted(accesses[name]) != drawn.accesses[name]]
    elif edges != drawn.edges:
        out.append(f"edges {edges} instead of {drawn.edges}")
    return out


def main():
    count, seed = int((sys.argv[1:2] or ["20"])[0]), int((sys.argv[2:3] or ["0"])[0])
    formats = sys.argv[3:] or list(grammar.FORMATS)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        stack.callback(os.chdir, os.getcwd())
        os.chdir(folder)
        for format_name in formats:
            for i in range(seed, seed + count):
                drawn = grammar.drawn(format_name, i)
                found = differences(drawn, format_name)
                if found:
                    wrong += 1
                    print(f"{format_name} {i}:", *found, *(f"--- {n}\n{t}" for n, t in drawn.files.items()), sep="\n")
    print(f"{count} files of {len(formats)} formats each: {wrong} differ")
    return wrong > 0


sys.exit(main())
