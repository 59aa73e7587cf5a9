"""Traces that Python writes for other tools. export/ has a trace with odd names of two nodes, and what its writers in C++ wrote of it."""

import gzip
import json
import os
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np

import factosim
from surroundings import CLUSTER, FIRST, PROGRAM

GIVEN = Path(__file__).parent / "export"
NAMES = ['a"b,c', "two\nlines", "back\\slash\\n", " spaces ", "na\xefve \u2603", "%0A%22%", "=1+1", "-x", "+x", "@x", "\ttab\r", "\x1b[31m",
         "</text><script>&'", "Name: x\n\nName: y"]


def text_of(file):
    return (gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()).decode()


def read_again(folder, written):
    """Returns the trace that factosim reads from what was written."""
    again = folder / f"{written.name}.again"
    subprocess.run([PROGRAM, "export", written, "--format", "trace", "-o", again, "--force"], check=True, capture_output=True)
    return factosim.Trace(again)


def contents(trace, ends):
    """Returns a line for each task, its data, edge and message, whose order and numbers do not depend on the trace's. `ends`: messages name
    their tasks."""
    c = trace.columns
    ns = lambda seconds: -1 if np.isnan(seconds) else round(1e9 * seconds)
    kernels, workers = c["task.kernel"], trace.numbers("task.worker")
    tasks = [f"{trace.kernels[k]['name']} on {trace.workers[w]['node']} at {ns(start)}" for k, w, start in zip(kernels, workers, c["task.start_s"])]
    tile = lambda h: (int(c["handle.m"][h]), int(c["handle.n"][h]), int(c["handle.size_bytes"][h]))
    out = []
    for t, name in enumerate(tasks):
        accesses = c["access.handle_mode"][c["task.access_begin"][t]:c["task.access_begin"][t + 1]]
        out.append(f"{name} to {ns(c['task.end_s'][t])}: {[(int(a) & 3, tile(a >> 2)) for a in accesses]}")
        out += [f"{tasks[p]} -> {name}" for p in c["predecessor.task"][c["task.predecessor_begin"][t]:c["task.predecessor_begin"][t + 1]]]
    for i in range(len(c["message.from"])):
        producer, consumer = (trace.numbers(f"message.{end}")[i] for end in ("producer", "consumer"))
        text = f"message {c['message.from'][i]} to {c['message.to'][i]} at {ns(c['message.start_s'][i])}, {tile(c['message.handle'][i])}"
        out.append(text + (f": {tasks[producer]} -> {tasks[consumer] if consumer >= 0 else None}" if ends and producer >= 0 else ""))
    return sorted(out)


def named(trace_file, to, name):
    """Writes a trace in which a kernel and data have that name."""
    raw = trace_file.read_bytes()
    end = raw.index(b"\n")
    header = json.loads(raw[:end])
    header["kernels"][0]["name"] = header["shapes"][0] = name
    new = json.dumps(header).encode() + raw[end:-4]
    to.write_bytes(new + np.uint32(zlib.crc32(new)).tobytes())
    return factosim.Trace(to)


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_files_are_those_that_the_program_wrote(self):
        table = factosim.write_csv(GIVEN, self.folder / "t.csv")
        self.assertEqual(table.read_text(), (GIVEN / "tasks.csv").read_text())
        packed = factosim.write_csv(GIVEN / "run.trace", self.folder / "t.csv.gz")
        self.assertEqual(text_of(packed), table.read_text())
        folder = factosim.write_starvz(factosim.Trace(GIVEN / "run.trace"), self.folder / "starvz")
        written = "".join(f"=== {file.name}\n{text_of(file)}" for file in sorted(folder.iterdir()))
        self.assertEqual(written, (GIVEN / "starvz.txt").read_text())

    def test_files_of_starpu_are_those_that_the_program_wrote(self):
        subprocess.run([PROGRAM, "export", GIVEN / "run.trace", "--format", "starpu", "-o", self.folder / "starpu"], check=True, capture_output=True)
        written = "".join(f"=== {file.name}\n{text_of(file)}" for file in sorted((self.folder / "starpu").iterdir()))
        self.assertEqual(written, (GIVEN / "starpu.txt").read_bytes().decode())

    def test_files_of_starpu_need_python_before_anything_is_simulated_or_written(self):
        for command in (["export", GIVEN / "run.trace", "--format", "starpu", "-o", self.folder / "starpu"],
                        ["run", FIRST, "--set", "/outputs/starpu=true", "--out", self.folder / "run"]):
            done = subprocess.run([PROGRAM, *command], capture_output=True, text=True, env={**os.environ, "FACTOSIM_PYTHON": "/nowhere"})
            self.assertEqual(done.returncode, 2)
            self.assertIn("starpu#: cannot be written in StarPU's format (there is no python3, and this needs it). Install it", done.stderr)
            self.assertEqual([file for file in self.folder.rglob("*") if file.is_file() and file.name != "lock"], [])

    def test_rows_of_starvz_are_as_long_as_their_header(self):
        for file in factosim.write_starvz(factosim.run(CLUSTER, nt=6), self.folder).glob("*.csv*"):
            lengths = {line.count(",") for line in text_of(file).splitlines()}
            self.assertEqual(len(lengths), 1, file.name)

    def test_a_run_is_the_same_after_a_way_through_either(self):
        for scenario in (FIRST, CLUSTER):
            run = factosim.run(scenario, nt=8)
            for name, write, ends in (("t.csv", factosim.write_csv, True), ("starvz", factosim.write_starvz, False)):
                again = read_again(self.folder, write(run, self.folder / name, force=True))
                self.assertEqual(contents(again, ends), contents(run.trace, ends), name)

    def test_names_of_any_characters_are_the_same_after_a_way_through_either(self):
        for name in NAMES:
            trace = named(GIVEN / "run.trace", self.folder / "run.trace", name)
            for file, write in (("t.csv", factosim.write_csv), ("starvz", factosim.write_starvz)):
                again = read_again(self.folder, write(trace, self.folder / file, force=True))
                self.assertIn(name, [k["name"] for k in again.kernels])
                if file == "starvz":
                    self.assertIn(name, again.shapes)

    def test_nothing_is_replaced_unasked(self):
        for name, write in (("t.csv", factosim.write_csv), ("starvz", factosim.write_starvz)):
            write(GIVEN, self.folder / name)
            with self.assertRaisesRegex(factosim.InputError, "force=True"):
                write(GIVEN, self.folder / name)
            write(GIVEN, self.folder / name, force=True)
        with self.assertRaises(factosim.InputError):
            factosim.write_csv(self.folder / "none", self.folder / "x.csv")

    def test_the_program_names_these_functions(self):
        for name in ("csv", "starvz"):
            for command in (["export", GIVEN / "run.trace", "--format", name, "-o", self.folder / "x"],
                            ["run", FIRST, "--set", f"/outputs/{name}=true", "--out", self.folder / "y"]):
                done = subprocess.run([PROGRAM, *command], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"factosim.write_{name}(RUN, ", done.stderr)


if __name__ == "__main__":
    unittest.main()
