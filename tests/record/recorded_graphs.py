#!/usr/bin/env python3
"""Recorded graphs: they run as our own applications to the last digit, find their timings by footprint, and say what they lack.

usage: recorded_graphs.py PROGRAM
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
from cases import case, check, contains
import graph

PROGRAM = os.path.abspath(sys.argv[1])
POLICIES = ("eager", "prio", "lws", "dmda", "dmdas", "dmdar", "dmdap")


def factosim(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def simulated(application, platform="mirage", nodes=1, **keys):
    """Returns the result, or the message of the error."""
    if isinstance(application, str):
        pathlib.Path("g.jsonl").write_text(application)
        application = {"type": "graph", "file": "g.jsonl"}
    of = {"file": platform} if nodes == 1 else {"file": platform, "nodes": [{"type": platform, "count": nodes}]}
    scenario = {"platform": of if isinstance(platform, str) else platform, "application": application, **keys}
    pathlib.Path("s.json").write_text(json.dumps(scenario))
    code, out, error = factosim("run", "s.json", "--json", "-q")
    if code == 0:
        return json.loads(out)
    check("exit code of an error", code, 2)
    return error


def makespan(*arguments, **keys):
    result = simulated(*arguments, **keys)
    return result["makespan_s"] if isinstance(result, dict) else result


@case
def runs_as_applications():
    recordings = {"cholesky": graph.cholesky(9, 960), "cholesky 320": graph.cholesky(9, 320), "lu": graph.lu(7, 960), "lu single": graph.lu(7, 320, "s")}
    for (name, recording), machine in itertools.product(recordings.items(), ("mirage", "sirocco", "attila")):
        nb = 320 if recording.tile in (320 * 320 * 4, 320 * 320 * 8) else 960
        own = {"type": name.split()[0], "nb": nb, "nt": 9 if "cholesky" in name else 7, "precision": "double" if name == "lu" else "single"}
        for policy in POLICIES:
            keys = {"platform": machine, "scheduler": {"type": policy}}
            check(f"{name} on {machine} by {policy}", makespan(recording.text(), **keys), makespan(own, **keys))


@case
def several_nodes():
    """Owners by coordinates, and by the file; flushes of single data send them again as the application's do."""
    keys = {"nodes": 4, "distribution": {"type": "block-cyclic", "p": 2, "q": 2}}
    own = {"type": "cholesky", "nb": 960, "nt": 8, "precision": "single"}
    recording = graph.cholesky(8, 960, coordinates=True)
    a, b = simulated(own, **keys), simulated(recording.text(), **keys)
    check("makespan on four nodes", b["makespan_s"], a["makespan_s"])
    check("messages on four nodes", b["tiles_sent"], a["tiles_sent"])
    flushing, column = [], None
    for line in recording.lines:  # the diagonal tile is flushed after each trsm
        flushing.append(line)
        if line.get("kernel") == "chol_model_trsm" and "task" in line:
            flushing.append({"flush": line["accesses"][0][0]})
    a = simulated({**own, "variant": "starpu-mpi"}, **keys)
    b = simulated("".join(json.dumps(line) + "\n" for line in flushing), **keys)
    check("messages with flushes", b["tiles_sent"], a["tiles_sent"])
    check("makespan with flushes", b["makespan_s"], a["makespan_s"])


@case
def timings():
    recording = graph.cholesky(4, 960)
    wrong = recording.text().replace("24c84a50", "0000000f")
    error = simulated(wrong)
    for part in ("chol_model_gemm: no timing of footprint 0000000f; sizes there: ", "960", "--execute", "~/.starpu"):
        contains("missing footprint", error, part)
    # A history of the machine's kernel file comes first.
    kernels = {"format": "factosim-kernels", "version": 1, "machine": "own", "provenance": "a test", "estimate": False, "kernels": {},
               "histories": [{"symbol": "chol_model_" + k, "footprint": graph.FOOTPRINTS[960][t - 1], "worker": "cpu", "mean_s": 0.5, "samples": 12}
                             for k, t in graph.CHOLESKY.items()]}
    pathlib.Path("own.json").write_text(json.dumps(kernels))
    pathlib.Path("one.json").write_text(json.dumps({"format": "factosim-platform", "version": 1, "node_types": {"one": {"cores": 1, "ram_bytes": 1e12, "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}, "kernels": "own.json"}},
                                                    "network": {}, "nodes": [{"type": "one", "count": 1}]}))
    serial = {"platform": "one.json", "runtime": {"reserved_cores": 0}, "scheduler": {"type": "eager"}}
    result = simulated(recording.text(), **serial)
    check("a history of half a second", result["nodes"][0]["busy_s"] if isinstance(result, dict) else result, 0.5 * recording.count)
    kernels["histories"].append(kernels["histories"][0])
    pathlib.Path("own.json").write_text(json.dumps(kernels))
    contains("two histories", simulated(recording.text(), **serial), "own.json#/histories/4: a second history of the same symbol")
    kernels["histories"] = [{**kernels["histories"][0], "footprint": "24C8"}]
    pathlib.Path("own.json").write_text(json.dumps(kernels))
    contains("a damaged footprint", simulated(recording.text(), **serial), "own.json#/histories/0/footprint")
    # Kernels that only the file times.
    text = recording.text().replace('"symbol": "chol_model_potrf", "footprint": "617e5fe6"', '"symbol": "mine", "footprint": "617e5fe6", "cpu_s": 0.25, "samples": 3')
    result = simulated({"type": "graph", "file": "g.jsonl", "durations": "platform"}) if pathlib.Path("g.jsonl").write_text(text) else None
    contains("seconds of the recording", " ".join(result["findings"]) if isinstance(result, dict) else result, "no timing of chol_model_potrf: it lasts as long as where")
    # A build without code for GPUs.
    result = simulated(graph.cholesky(4, 960, devices=("cpu",)).text())
    contains("a build without GPUs", " ".join(result["findings"]), "taken to wait for the end of potrf only")
    check("the same makespan", result["makespan_s"], makespan(recording.text()))


@case
def dumps_of_taskflow():
    """As its `dump()` writes a graph: names only."""
    edges = "".join(f"p0x1 -> p0x{n};\np0x{n}[label=\"trsm\" ];\np0x{n} -> p0x9;\n" for n in (2, 3))
    pathlib.Path("tf.dot").write_text(f'digraph Taskflow {{\nsubgraph cluster_p0x7f {{\nlabel="Taskflow: p0x7f";\np0x1[label="potrf" ];\n{edges}p0x9[label="gemm" ];\n}}\n}}\n')
    check("init", factosim("init", "--graph", "tf.dot", "--nb", "960", "--platform", "mirage", "-o", "tf.json")[0], 0)
    result = json.loads(factosim("run", "tf.json", "--json", "-q")[1] or "{}")
    check("tasks", result.get("tasks_by_kernel", result.get("tasks")), {"gemm": 1, "potrf": 1, "trsm": 2})


HEAD = '{"format": "factosim-graph", "version": 2}\n'
TWO = HEAD + '{"data": "a", "bytes": 8}\n{"task": "1", "kernel": "k", "accesses": [["a", "RW"]], "cpu_s": 1}\n'


def edges_of(text):
    return simulated(text, runtime={"reserved_cores": 0})["provenance"]["options"]["application"]["edges"]


@case
def submission():
    """Modes, order, waits, hints: the dependencies that they give, and what is said of them."""
    def tasks(mode, more="", between="", data='{"data": "a", "bytes": 8}\n'):
        line = '{"task": "%d", "kernel": "k", "cpu_s": 1, "accesses": [["a", "%s"]]%s}\n'
        return HEAD + data + line % (1, mode, more) + between + line % (2, mode, more) + line % (3, "RW", more)
    check("RW", edges_of(tasks("RW")), 2)
    check("commute", edges_of(tasks("RWC")), 2)
    check("reduction", edges_of(tasks("X")), 2)
    check("scratch", edges_of(tasks("S")), 0)
    # Without an order of their own they exclude each other, after the other dependencies.
    check("unordered tasks", edges_of(tasks("RW", ', "ordered": false')), 2)
    check("unordered data", edges_of(tasks("RW", data='{"data": "a", "bytes": 8, "ordered": false}\n')), 2)
    check("a later task first", round(makespan(tasks("RW", ', "ordered": false').replace('"task": "1"', '"task": "1", "depends_on": ["3"]'))), 3)
    check("waits for a task", edges_of(tasks("S", between='{"wait": ["1"]}\n')), 2)
    check("submitted by", edges_of(tasks("S").replace('"task": "2"', '"task": "2", "submitted_by": "1"')), 1)
    lasts = {between: makespan(tasks("S", between=between)) for between in ("", '{"wait": "all"}\n', '{"wait": ["1"]}\n')}
    check("waits last", [round(s) for s in lasts.values()], [1, 2, 2])
    said = " ".join(simulated(tasks("X", ', "workers": [0]')
                              .replace('"version": 2', '"version": 2, "recorded": {"complete": false, "findings": ["of the recorder"]}')
                              .replace("RW", "RWC") + '{"data": "b", "bytes": 4, "parent": "a"}\n'
                              + '{"task": "4", "kernel": "k", "cpu_s": 1, "accesses": [["a", "W"], ["b", "W"], ["s", "S"]]}\n{"wont_use": "a"}\n')["findings"])
    for part in ("2 accesses reduce", "1 accesses commute", "1 accesses to scratch", "1 hints (wont_use)", "3 tasks name the workers",
                 "1 data are parts", "of the recorder", "ended early"):
        contains("findings", said, part)
    # The whole of a matrix, which no task uses, takes no memory.
    whole = '{"data": "w", "bytes": 4000000000000}\n{"data": "a", "bytes": 8, "parent": "w"}\n'
    check("a whole without tasks", simulated(tasks("RW", data=whole))["nodes"][0]["peak_memory_bytes"], 8)
    result = simulated(tasks("RW").replace('"version": 2', '"version": 2, "recorded": {"program": "p"}'))
    check("provenance", result["provenance"]["options"]["application"]["recorded"], {"program": "p"})


@case
def mistakes():
    for change, message in {
            '{"wont_use": "b"}': 'names the datum "b" (no line before it does)',
            '{"flush": "b"}': 'names the datum "b" (no line before it does)',
            '{"wait": ["7"]}': 'waits for the task "7" (no line before it has it)',
            '{"wait": "some"}': 'waits for "some". Give "all", or a list',
            '{"wait": [], "x": 1}': 'has the key "x"',
            '{"data": "b", "ordered": 3}': 'has "3" as ordered',
            '{"data": "b", "kind": "mine"}': 'has the kind of datum "mine"',
            '{"kernel": "q", "footprint": "12345678"}': 'has a footprint without a "symbol"',
            '{"kernel": "q", "symbol": "q", "footprint": "xyz"}': 'has the footprint "xyz"',
            '{"kernel": "q", "devices": ["cudaa"]}': 'has the device "cudaa"',
            '{"kernel": "q", "devices": "cpu"}': 'has no list as "devices"',
            '{"kernel": "q", "size": -1}': "a size in bytes",
            '{"kernel": "q", "samples": 0}': "samples",
            '{"kernel": "q", "deviation_s": -1}': "negative deviation",
            '{"task": "2", "kernel": "k", "accesses": [["a", "C"]]}': 'has an access of mode "C" to a. Use R, W, RW, WC, RWC, X, S',
            '{"task": "2", "kernel": "k", "workers": [-1]}': "a worker",
            '{"task": "2", "kernel": "k", "workers": [[0, 1]]}': "has an entry of two parts",
            '{"task": "2", "kernel": "k", "submitted_by": "9"}': 'wait for "9" (no task has this id)',
            '{"task": "2", "kernel": {"a": 1}}': "has a list or an object",
            '{"task": "2", "kernel": "k", "accesses": [["a"]]}': "has an entry of 1 parts",
            '{"task": "2", "task": "3", "kernel": "k"}': "has a key twice",
            '{"task": "2", "kernel": "k", "priority": 01}': "is no JSON"}.items():
        error = simulated(TWO + change + "\n")
        contains(change, error, message)
        contains(change, error, "g.jsonl#")
    contains("version 1", simulated(TWO.replace('"version": 2', '"version": 1') + '{"task": "2", "kernel": "k", "ordered": false}\n'), "version 2 has it")
    contains("version 3", simulated(TWO.replace('"version": 2', '"version": 3')), "has the version 3. Versions 1 and 2 are read")
    contains("provenance", simulated(TWO.replace('"version": 2', '"version": 2, "recorded": {"findings": [1]}')), "no list of texts")


@case
def texts():
    """Escapes, exponents and whole numbers with a fraction are read as any JSON reader does."""
    name = 'quo"te \\ \u00e9'
    text = HEAD + json.dumps({"task": "a\tb", "kernel": name, "cpu_s": 1e-1}) + '\n{"task": 2.0, "kernel": "k", "depends_on": ["a\\tb"], "cpu_s": 2.5E+1}\n'
    result = simulated(text)
    check("kernels with odd names", sorted(result["tasks_by_kernel"]) if isinstance(result, dict) else result, ["k", name])
    check("durations", round(result["nodes"][0]["busy_s"], 6), 25.1)


@case
def exports():
    recording = graph.cholesky(4, 960).text() + '{"wait": "all"}\n{"flush": "0.0"}\n'
    simulated(recording)
    check("export of lines", factosim("export", "s.json", "--format", "graph-jsonl", "-o", "again.jsonl")[0], 0)
    check("the lines", pathlib.Path("again.jsonl").read_text(), recording)
    pathlib.Path("tables").mkdir()
    code, _, error = factosim("export", "s.json", "--format", "graph-csv", "-o", "tables")
    check("export of tables", (code, list(pathlib.Path("tables").iterdir())), (2, []))
    contains("export of tables", error, "is of version 2")


@case
def advice():
    for coordinates, distributions in ((True, {"block-cyclic", "g-2dbc", "earliest-finish"}), (False, {"earliest-finish"})):
        simulated(graph.cholesky(6, 960, coordinates=coordinates).text(), nodes=2)
        code, out, error = factosim("advise", "s.json", "--schedulers", "dmda,dmdas", "--exhaustive", "--json")
        check(f"advise: {error}", code, 0)
        if code != 0:
            continue
        found = json.loads(out)
        check("distributions of the advice", found["best"]["distribution"]["type"] in distributions, True)
        best = makespan_of_best(found)
        check("the best is at least as good as the scenario", best <= makespan(graph.cholesky(6, 960, coordinates=coordinates).text(), nodes=2), True)
        check("says what is not searched", "no coordinates" in out, not coordinates)
        check("no tiles", "nt" in found["best"], False)


def makespan_of_best(found):
    return found["best"]["makespan_s"]


cases.run()
