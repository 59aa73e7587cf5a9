#!/usr/bin/env python3
"""Two graphs are compared: equal ones have no difference, each change is found, and tolerances and mistakes have their exit codes.

usage: changes.py PROGRAM
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
import graph
from cases import case, check, contains

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = {"potrf": 0.25, "trsm": 0.5, "syrk": 0.125, "gemm": 1.0}


def factosim(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def timed(nt=10):
    """Cholesky with the same seconds on each core."""
    recording = graph.cholesky(nt, 320)
    for line in recording.lines:
        if "kernel" in line and "task" not in line:
            line["cpu_s"] = SECONDS[line["kernel"].rpartition("_")[2]]
    return recording


def saved(name, recording, edit=lambda lines: lines):
    lines = edit([json.loads(json.dumps(line)) for line in recording.lines])
    pathlib.Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def compared(*options, files=("a.jsonl", "b.jsonl"), code=0):
    found, out, error = factosim("compare", *files, "--json", *options)
    check(f"exit code of {options} ({error})", found, code)
    return json.loads(out) if out else {"a": {}, "b": {}}


@case
def equal_graphs_have_no_difference():
    saved("a.jsonl", timed())
    with gzip.open("b.jsonl.gz", "wt") as file:
        file.write(pathlib.Path("a.jsonl").read_text())
    files = ("a.jsonl", "b.jsonl.gz")
    check("the same bytes", compared("--tolerance", "0%,tasks=0,kernel_mean=0,bytes=0", files=files)["changes"], [])
    code, out, _ = factosim("compare", *files)
    check("exit code", code, 0)
    contains("text", out, "No difference in 220 tasks.")


@case
def totals_are_those_of_the_algorithm_and_of_bounds():
    n = 10
    saved("a.jsonl", timed(n))
    saved("b.jsonl", timed(n - 2))
    done = compared()
    check("tasks", [done[x]["tasks"] for x in "ab"], [n * (n + 1) * (n + 2) // 6, 120])
    check("dependencies", [done[x]["dependencies"] for x in "ab"], [n * (n - 1) * (n + 1) // 2, 252])
    check("bytes", [done[x]["bytes"] for x in "ab"], [55 * 320 * 320 * 4, 36 * 320 * 320 * 4])
    check("work", done["a"]["work"], 10 * 0.25 + 45 * 0.5 + 45 * 0.125 + 120 * 1.0)
    check("work by kernel", {k["kernel"].rpartition("_")[2]: k["tasks"] for k in done["kernels"]},
          {"potrf": [10, 8], "trsm": [45, 28], "syrk": [45, 28], "gemm": [120, 56]})
    check("chain", sum(SECONDS[name.rpartition("_")[2]] * count for name, count in done["a"]["chain_kernels"].items()), done["a"]["critical_path"])
    for which, file in (("a", "a.jsonl"), ("b", "b.jsonl")):
        pathlib.Path("s.json").write_text(json.dumps({"platform": "mirage", "application": {"type": "graph", "file": file}}))
        bounds = json.loads(factosim("bounds", "s.json", "--json", "-q")[1])
        chain = next(value for value in bounds.values() if isinstance(value, float) and abs(value - done[which]["critical_path"]) < 1e-6)
        check("longest chain of bounds", abs(chain - done[which]["critical_path"]) < 1e-6, True)


@case
def each_change_is_found():
    def task(lines, kernel, number):
        return [line for line in lines if line.get("kernel", "").endswith(kernel) and "task" in line][number]

    def changed(edit):
        saved("a.jsonl", timed())

        def apply(lines):
            edit(lines)
            return lines
        saved("b.jsonl", timed(), apply)
        done = compared()
        return done["changes"], {k["kernel"].rpartition("_")[2]: k for k in done["kernels"]}, done

    changes, kernels, _ = changed(lambda lines: task(lines, "gemm", 3).update(priority=-7))
    check("priority", (changes, kernels["gemm"]["other_priority"], kernels["trsm"]["other_priority"]), (["kernel chol_model_gemm"], 1, 0))
    changes, kernels, done = changed(lambda lines: next(x for x in lines if x.get("data") == "9.9").update(bytes=1))
    check("size", (changes[:2], kernels["potrf"]["other_accesses"], kernels["gemm"]["other_accesses"]), (["bytes", "sizes"], 1, 0))
    changes, kernels, done = changed(lambda lines: task(lines, "gemm", 0).update(depends_on=["1", "2", "3"]))
    check("dependency", (changes, done["b"]["dependencies"] - done["a"]["dependencies"]), (["dependencies"], 1))
    changes, _, done = changed(lambda lines: lines.remove(next(x for x in lines if "wont_use" in x)))
    check("hint", (changes, done["b"]["wont_use"]), (["wont_use"], 54))
    changes, _, done = changed(lambda lines: lines.insert(lines.index(task(lines, "potrf", 1)), {"wait": "all"}))
    check("wait", (changes[0], done["b"]["critical_path"] > done["a"]["critical_path"], done["b"]["waits of the host"]), ("critical_path", True, 1))
    changes, kernels, done = changed(lambda lines: next(x for x in lines if x.get("symbol") == "chol_model_trsm").update(cpu_s=0.75, devices=["cpu"]))
    check("duration", (kernels["trsm"]["mean_s"], kernels["trsm"]["traits"], done["b"]["work"] - done["a"]["work"]),
          ([0.5, 0.75], {"devices": [["cpu", "cuda"], ["cpu"]]}, 45 * 0.25))
    changes, kernels, done = changed(lambda lines: task(lines, "potrf", 2).update(cpu_s=3))
    check("a task's own duration", (kernels["potrf"]["mean_s"], done["b"]["work"] - done["a"]["work"]), ([0.25, 0.525], 2.75))
    text = factosim("compare", "a.jsonl", "b.jsonl")[1]
    contains("text", text, "longest chain, s", "chol_model_potrf: mean, s", "+110.0 %")


@case
def tolerances_end_with_5():
    saved("a.jsonl", timed())
    saved("b.jsonl", timed(), lambda lines: [{**x, "cpu_s": 0.26} if x.get("cpu_s") == 0.25 else x for x in lines])
    check("within", compared("--tolerance", "kernel_mean=4%,tasks=0,work=1%")["tolerance"]["ok"], True)
    beyond = compared("--tolerance", "kernel_mean=3%,tasks=0", code=5)["tolerance"]["checks"]
    check("beyond", [(c["what"], round(c["relative"], 6)) for c in beyond if not c["ok"]], [("chol_model_potrf", 0.04)])
    code, out, error = factosim("compare", "a.jsonl", "b.jsonl", "--tolerance", "0%")
    check("exit code", code, 5)
    contains("text", out, "beyond tolerance: critical_path: ", "0 of 1 checks within tolerance")


@case
def graphs_of_runs_are_compared():
    for name, nt in (("a", 4), ("b", 5)):
        saved(f"{name}.jsonl", timed(nt))
        pathlib.Path(f"{name}.json").write_text(json.dumps({"platform": "mirage", "application": {"type": "graph", "file": f"{name}.jsonl"}}))
        code, _, error = factosim("run", f"{name}.json", "-q", "--out", name)
        check(f"run {name}: {error}", code, 0)
    check("tasks", [compared("--program", files=("a", "b"))[x].get("tasks") for x in "ab"], [20, 35])
    check("the runs themselves", "makespan" in compared(files=("a", "b")), True)


@case
def mistakes_are_told():
    saved("a.jsonl", timed())
    pathlib.Path("b.jsonl").write_text(timed().text().replace('"kernel": "chol_model_gemm", "priority"', '"kern": "x", "priority"', 1))
    pathlib.Path("empty.jsonl").write_text(json.dumps(timed().lines[0]) + "\n")
    pathlib.Path("other.json").write_text("{}")
    line = 1 + next(n for n, x in enumerate(timed().lines) if x.get("kernel") == "chol_model_gemm" and "task" in x)
    for arguments, *parts in [
            (("a.jsonl", "b.jsonl"), f"b.jsonl#line {line}: is no line of a graph"), (("a.jsonl", "empty.jsonl"), "empty.jsonl#: has no task"),
            (("a.jsonl", "other.json"), "other.json#: is no graph, but the other one is"), (("a.jsonl", "a.jsonl", "--tolerance", "busy=1%"), '"busy" is not compared in graphs'),
            (("a.jsonl", "a.jsonl", "--tolerance", "tasks=x"), '--tolerance#: "x" is no number'), (("a.jsonl", "a.jsonl", "--latex"), "--latex#: is for runs"),
            (("other.json", "other.json", "--program"), "other.json#: the key \"format\" is missing")]:
        code, out, error = factosim("compare", *arguments)
        check(f"exit code of {arguments}", (code, out), (2, ""))
        contains(str(arguments), error, *parts)


cases.run()
