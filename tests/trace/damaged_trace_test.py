#!/usr/bin/env python3
"""Traces of this program with planted faults are refused or noticed, and never end a command otherwise than with exit code 0, 2, 4 or 5.

usage: damaged_trace_test.py PROGRAM [COUNT [SEED]]

The checksums are right: a faulty writer, not a damaged file.
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

MACHINE = {"file": "mirage", "nodes": [{"type": "mirage", "count": 2}]}
RUNS = {"cholesky": {"platform": MACHINE, "application": {"type": "cholesky", "nt": 4, "nb": 960}, "network": "maxmin"},
        "gemm": {"platform": MACHINE, "application": {"type": "gemm", "nt": 3, "nb": 960}, "scheduler": "eager", "network": "constant"},
        "replay": {"application": {"type": "trace", "file": "cholesky/run.trace"}}}
LAYOUTS = {"<f8": "d", "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q", "<i4": "i", "<i8": "q", "(3,)<i4": "iii"}
NONE, LARGEST = 2 ** 32 - 1, {"B": 2 ** 8 - 1, "H": 2 ** 16 - 1, "I": 2 ** 32 - 1, "Q": 2 ** 64 - 1, "i": 2 ** 31 - 1, "q": 2 ** 63 - 1}


class TraceFile:
    """A run.trace: its header, and its columns as lists."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        at = content.index(b"\n") + 1
        self.header, self.columns = json.loads(content[:at]), {}
        for column in self.header["columns"]:
            layout = f"<{column['count'] * len(LAYOUTS[column['type']])}{LAYOUTS[column['type']][0]}"
            self.columns[column["name"]] = (layout, list(struct.unpack_from(layout, content, at)))
            at += struct.calcsize(layout)

    def write(self, path):
        content = json.dumps(self.header, separators=(",", ":")).encode() + b"\n" + b"".join(struct.pack(layout, *values) for layout, values in self.columns.values())
        with open(path, "wb") as file:
            file.write(content + struct.pack("<I", zlib.crc32(content)))

    def set(self, name, at, value):
        self.columns[name][1][at] = value


def leaves(item, path=()):
    if isinstance(item, (dict, list)):
        for key, value in item.items() if isinstance(item, dict) else enumerate(item):
            yield from leaves(value, (*path, key))
    else:
        yield path, item


def change(r, trace):
    """Changes one value of the header or of a column; returns what."""
    if r.random() < 0.5:
        path, value = r.choice([each for each in leaves(trace.header) if each[0][0] != "columns"])
        place = trace.header
        for key in path[:-1]:
            place = place[key]
        if r.random() < 0.3:
            del place[path[-1]]
        elif isinstance(value, (bool, str)):
            place[path[-1]] = not value if isinstance(value, bool) else r.choice(("", "x", "ram", "cuda0"))
        else:
            place[path[-1]] = r.choice((0, 1, -1, NONE, 1e300))
        return "/".join(map(str, path))
    name = r.choice([name for name, (_, values) in trace.columns.items() if values])
    layout, values = trace.columns[name]
    kind, at = layout[-1], r.randrange(len(values))
    numbers = (float("nan"), float("inf"), -1.0, 0.0, 1e300) if kind == "d" else (0, 1, LARGEST[kind], LARGEST[kind] - 1, LARGEST[kind] // 2)
    values[at] = r.choice(numbers)
    return f"{name}[{at}] = {values[at]}"


class Bench:
    def __init__(self, program):
        self.program, self.wrong = program, 0
        for name, scenario in RUNS.items():
            with open(f"{name}.json", "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            self.call("run", f"{name}.json", "--out", name, allowed=(0,))

    def call(self, *arguments, allowed=(0, 2, 4, 5), of=""):
        done = subprocess.run([self.program, *arguments, "--quiet"], capture_output=True, text=True, timeout=120)
        if done.returncode not in allowed:
            self.wrong += 1
            print(f"{' '.join(arguments)} ends with {done.returncode} {of}: {done.stderr[-300:]}")
        return done

    def copy(self, run):
        """Makes the folder `f` with the run without its checksums; returns its trace."""
        shutil.rmtree("f", ignore_errors=True)
        shutil.copytree(run, "f")
        with open("f/result.json", encoding="utf-8") as file:
            result = json.load(file)
        del result["simulation"]["checksum"], result["simulation"]["files"]
        with open("f/result.json", "w", encoding="utf-8") as file:
            json.dump(result, file)
        return TraceFile("f/run.trace")

    def fault(self, run, text, plant, of_rules=True):
        """Plants one fault that the rules have to find, without a further simulation; or, if not `of_rules`, the reader."""
        trace = self.copy(run)
        plant(trace)
        trace.write("f/run.trace")
        done = self.call("check", "f", "--no-simulation", allowed=(5,) if of_rules else (2,), of=run)
        if text not in done.stdout + done.stderr:
            self.wrong += 1
            print(f"{run}: no \"{text}\" in {done.stdout}{done.stderr}")

    def faults(self):
        missing, behind = "or lacks one", "a task that ends before it starts"
        self.fault("cholesky", "is of another node", lambda t: t.header["memory_nodes"][0].update(node=1))
        self.fault("cholesky", "transfers of no datum", lambda t: t.set("message.handle", 0, NONE))
        self.fault("gemm", "transfers of no datum", lambda t: t.set("copy.handle", 0, NONE))
        for column in ("task.start_s", "task.end_s", "message.start_s", "message.end_s", "copy.start_s", "copy.end_s", "place.start_s"):
            self.fault("cholesky", missing if not column.startswith("task") else "", lambda t: t.set(column, 3, float("nan")), False)
        self.fault("gemm", behind, lambda t: t.set("task.end_s", 5, 0.0), False)
        self.fault("gemm", "a size above 2^50 bytes", lambda t: t.set("handle.size_bytes", 2, 2 ** 62), False)

    def any_change(self, r):
        run = r.choice(list(RUNS))
        trace = self.copy(run)
        what = f"({run}, {change(r, trace)})"
        trace.write("f/run.trace")
        shutil.rmtree("out", ignore_errors=True)
        self.call("check", "f", "--no-simulation", of=what)
        self.call("compare", run, "f", "--no-simulation", of=what)
        self.call("export", "f", "--format", r.choice(("starpu", "paje", "chrome", "dot")), "--force", "-o", "exported", of=what)
        if os.path.isdir("exported"):
            shutil.rmtree("exported")
        with open("s.json", "w", encoding="utf-8") as file:
            json.dump({"application": {"type": "trace", "file": "f/run.trace"}}, file)
        self.call("run", "s.json", "--out", "out", of=what)


def main():
    program, count, seed = os.path.abspath(sys.argv[1]), int((sys.argv[2:3] or ["40"])[0]), int((sys.argv[3:4] or ["0"])[0])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bench = Bench(program)
        bench.faults()
        for i in range(seed, seed + count):
            bench.any_change(random.Random(i))
        os.chdir("/")
    print(f"{count} changed traces: {bench.wrong} faults")
    return bench.wrong > 0


if __name__ == "__main__":
    sys.exit(main())
