#!/usr/bin/env python3
"""Runs as other programs write them, and files of one kind where another is read: each is read rightly, or refused with a message
that says what to do.

usage: foreign_runs.py PROGRAM
"""
import gzip
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
from cases import case, check
from foreign import refused, run, write


@case
def chrome_traces_by_any_name():
    events = {"displayTimeUnit": "ms", "traceEvents": [{"ph": "X", "name": "gemm", "cat": "task", "pid": 0, "tid": t, "ts": 0, "dur": 10} for t in (0, 1)]}
    write("a.json", json.dumps(events))
    write("list.json", json.dumps(events["traceEvents"]))
    write("a.json.gz", gzip.compress(json.dumps(events).encode()))
    check("written by the program", run("export", "a.json", "--format", "chrome", "-o", "own.json")[0], 0)
    for name in ("a.json", "list.json", "a.json.gz", "own.json"):
        check(f"compare {name}", run("compare", name, "a.json")[0], 0)
        check(f"report {name}", run("report", name, "-o", f"{name}.html")[0], 0)
    refused("no result", ["compare", "s.json", "s.json"], "")


@case
def profiles_of_pytorch_have_streams_as_workers():
    def event(cat, name, pid, tid, ts, dur, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}

    for kinds in (("kernel", "gpu_memcpy", "gpu_memset"), ("Kernel", "Memcpy", "Memset")):  # since 2022, and before
        kernel, copy, fill = kinds
        events = [event("cpu_op", "aten::mm", 77, 77, 0, 900), event("cuda_runtime", "cudaLaunchKernel", 77, 77, 1, 5, correlation=1),
                  event(kernel, "gemm", 0, 7, 100, 50, device=0, stream=7), event(kernel, "gemm", 0, 7, 150, 50, device=0, stream=7),
                  event(copy, "HtoD", 0, 9, 120, 10.5, device=0, stream=9, bytes=64),
                  event(fill, "Memset", 1, 7, 90, 1, device=1, stream=7),
                  event("Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", 0, 1000), event("overhead", "Buffer", -1, 0, 3, 400),
                  {"ph": "s", "id": 1, "pid": 77, "tid": 77, "ts": 1, "cat": "ac2g", "name": "ac2g"},
                  {"ph": "f", "id": 1, "pid": 0, "tid": 7, "ts": 100, "cat": "ac2g", "name": "ac2g", "bp": "e"},
                  {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "python"}}]
        write("p.json", json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0}], "distributedInfo": {"rank": 3}, "traceEvents": events}))
        code, _, said = run("export", "p.json", "--format", "starpu", "-o", "p", "--force")
        check(f"exit code of {said}", code, 0)
        cases.contains("what is left out", said, "profile of PyTorch", "4 slices are no tasks")
        check("one clock", "clocks" in said, False)
        tasks = [dict(line.split(": ", 1) for line in task.splitlines()) for task in pathlib.Path("p/tasks.rec").read_text().split("\n\n") if task.strip()]
        check("tasks, and their times", sorted((t["Name"], t["WorkerId"], round(float(t["EndTime"]) - float(t["StartTime"]), 6)) for t in tasks),
              [("HtoD", "1", 0.0105), ("Memset", "2", 0.001), ("gemm", "0", 0.05), ("gemm", "0", 0.05)])
        check("a stream keeps its order", [t["Name"] for t in tasks if t.get("DependsOn")], ["gemm"])
        result = json.loads(run("compare", "p.json", "p.json", "--json")[1])
        check("the node", [n["name"] for n in result["a"]["nodes"]], ["rank 3"])


def profile(rank, ts, base=None, ranks=2, pid=7, **more):
    """Returns a profile of a rank of PyTorch, with one kernel of 10 us."""
    info = {} if rank is None else {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}}
    kernel = {"ph": "X", "cat": "kernel", "name": f"k{rank}", "pid": pid, "tid": 7, "ts": ts, "dur": 10, "args": {"device": 0, "stream": 7}}
    flow = [{"ph": p, "id": 1, "cat": "c", "name": "c", "pid": pid, "tid": 7, "ts": ts} for p in "sf"]
    return json.dumps({**info, **({} if base is None else {"baseTimeNanoseconds": base}), "traceEvents": [kernel, *flow], **more})


@case
def ranks_of_pytorch_are_nodes():
    hour = 3600 * 10**9

    def joined(name, *files, ending=".json"):
        for i, text in enumerate(files):
            write(f"{name}/f{i}{ending}", gzip.compress(text.encode()) if ending.endswith("gz") else text)
        code, _, said = run("export", name, "--format", "chrome", "-o", "t.json", "--force")
        check(f"{name}: {said}", code, 0)
        tasks = sorted((e["name"], e["pid"] - 1, e["ts"]) for e in json.loads(pathlib.Path("t.json").read_text())["traceEvents"] if e["ph"] == "X")
        first = min(ts for _, _, ts in tasks)
        return [(kernel, node, round(ts - first, 2)) for kernel, node, ts in tasks], said

    for ending in (".json", ".pt.trace.json.gz"):
        tasks, said = joined("a" + ending, profile(1, 5.0, 2 * hour), profile(0, 3.0, 2 * hour + 1000), ending=ending)
        check("one clock", (tasks, "baseTime" in said), ([("k0", 0, 0.0), ("k1", 1, 1.0)], False))
    check("dates since 1970", joined("b", profile(0, 1.7e15 + 8), profile(1, 1.7e15))[0], [("k0", 0, 8.0), ("k1", 1, 0.0)])
    check("dates of both kinds", joined("c", profile(0, 8, 1_700_000_000 * 10**9), profile(1, 1.7e15))[0], [("k0", 0, 8.0), ("k1", 1, 0.0)])
    tasks, said = joined("d", profile(0, 70), profile(1, 9e5, hour))
    check(f"unknown clocks {said}", (tasks, "1 of 2 files have no \"baseTimeNanoseconds\"" in said), ([("k0", 0, 0.0), ("k1", 1, 0.0)], True))
    tasks, said = joined("e", *[profile(r, 1, hour, ranks=12) for r in (10, 9, 2)])
    check(f"order of ranks {said}", (tasks, "3 of 12 ranks" in said), ([("k10", 2, 0.0), ("k2", 0, 0.0), ("k9", 1, 0.0)], True))
    tasks, said = joined("f", profile(None, 1, hour), profile(None, 3, hour))
    check(f"no ranks {said}", ([t[1:] for t in tasks], "in order of names" in said), ([(0, 0.0), (1, 2.0)], True))
    write("a.json/notes.json", '{"a": [1]}')
    check("other files", joined("a.json")[0], [("k0", 0, 0.0), ("k1", 1, 1.0)])
    write("s.json", json.dumps({"application": {"type": "trace", "file": "a.json"}}))
    check("replay", (run("run", "s.json")[0], run("report", "a.json", "-o", "a.html")[0], run("compare", "a.json", "a.json")[0]), (0, 0, 0))
    check("one rank of two", "1 of 2 ranks" in run("export", "a.json/f0.json", "--format", "chrome", "-o", "x.json")[2], True)
    plain = json.dumps({"traceEvents": [{"ph": "X", "name": "a", "pid": 7, "tid": 1, "ts": 1, "dur": 2}]})
    for name, files, *said in (("g", (profile(0, 1), profile(0, 2)), "f1.json#/distributedInfo/rank", "as in g/f0.json", "Keep one"),
                               ("h", (profile(0, 1), profile(None, 2)), "h/f1.json#: has no rank"), ("i", (profile(0, 1), plain), "cannot be joined")):
        for i, text in enumerate(files):
            write(f"{name}/f{i}.json", text)
        refused(name, ["export", name, "--format", "chrome", "-o", "x.json", "--force"], *said)
    check("processes of other programs", joined("j", plain, plain)[0], [("a", 0, 0.0), ("a", 1, 0.0)])


@case
def raw_traces_of_starpu():
    write("prof_file_me_0", b"\0" * 64 + struct.pack("<Q", 2**40))
    for arguments in (["export", "prof_file_me_0", "--format", "chrome", "-o", "x.json"], ["compare", ".", "."], ["report", "prof_file_me_0", "-o", "x.html"]):
        refused(arguments[0], arguments, "starpu_fxt_tool -i")
    for file in ("prof_file_me_0", "."):
        for kind in ("graph", "trace"):
            write("s.json", json.dumps({"platform": "mirage", "application": {"type": kind, "file": file}}))
            refused(f"{kind} {file}", ["run", "s.json"], "starpu_fxt_tool -i")


@case
def files_that_belong_elsewhere():
    convert, init, report = "factosim convert", "factosim init --graph", "factosim report"
    for name, content, *said in (
            ("HPL.dat", "HPLinpack benchmark input file\nme\n", convert, "--platform NAME -o hpl.json"),
            ("x.dax", '<?xml version="1.0"?>\n<!-- a -->\n<adag name="x"/>\n', convert, init),
            ("times", "\n1 2.5 -1\n2 4 0.25 1\n", convert, init), ("x.xml", "<a/>", "XML"),
            ("g.xml", '<?xml version="1.0"?>\n<graphml/>', "networkx.read_graphml"), ("p.xml", '<platform version="4"/>', "simgrid_xml"),
            ("s.yaml", "# c\nplatform: mirage\n", "yaml.safe_load"), ("t.yaml", "---\n- 1\n", "YAML"), ("s.toml", '[a]\nb = 1\n', "tomllib"),
            ("t.toml", 'nt=3\r\n', "tomllib"), ("g.dot", "strict digraph {a->b}", init), ("a.stg", "3\n1 2 0\n", init), ("t.csv", "task;worker\n1;2", report, init),
            ("g.jsonl", '{"format": "factosim-graph"}\n{"task": 1}\n', init), ("paje", "%EventDef A 1\n%EndEventDef\n", report), ("HPL.gz", gzip.compress(b"HPLinpack"), "gunzip"),
            ("tasks.rec", "Model: x\nJobId: 1\n", report), ("p.pftrace", b"\n\x06\x40\xc0\xc4\x07\x50\x01", "traceconv json"), ("prof_file_me_0", b"\0\1", "starpu_fxt_tool"), ("w.json", '{"workflow": {}}', init), ("g.json", '{"task_graph": {}}', init),
            ("c.json", '{"traceEvents": []}', report), ("c2.json", '[{"ph": "X"}]', report), ("p.json", '{"node_types": {}}', "platform show"), ("r.json", '{"format": "factosim-result"}', report)):
        write(name, content)
        for command in (["run"], ["sweep"], ["validate"], ["advise"]):
            if command != ["validate"] or not name.endswith(".json"):
                refused(" ".join([*command, name]), [*command, name], name, *said)
    for command in (["compare", "HPL.dat", "HPL.dat"], ["init", "--graph", "HPL.dat"], ["import", "HPL.dat"]):
        refused(" ".join(command), command, convert)
    write("w.json", '{"scenario": "s.json", "points": {"/application/nt": [1]}}')
    write("s.json", '{"application": {"type": "lu"}, "platform": "mirage"}')
    refused("a sweep", ["run", "w.json"], "factosim sweep w.json")
    refused("a scenario", ["sweep", "s.json"], "factosim run s.json")
    refused("no command", ["s.json"], "Use factosim run s.json")
    for name, content in (("a.json", "// c\n{}"), ("b.json", '"nt": 3,'), ("c.json", "{nt: 3}"), ("d.json", "[1, 2")):  # JSON with a mistake
        write(name, content)
        refused(name, ["run", name], "is not valid JSON")


cases.run(errors=(KeyError, TypeError, json.JSONDecodeError))
