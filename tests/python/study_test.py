"""The afternoon's study runs as written, as a script and as a notebook; its sweep goes on after its process was killed."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import ipykernel
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError:
    nbformat = None

STUDY = Path(__file__).parent / "study.py"


def cells():
    """The cells of the study, the first with its docstring."""
    parts = re.split(r"(?m)^# %% (.*)\n", STUDY.read_text())
    return [f"# {title}\n{code.rstrip()}" for title, code in zip(parts[1::2], parts[2::2])]


def text_of(notebook):
    """What the cells print."""
    return "".join(output.get("text", "") for cell in notebook.cells for output in cell.outputs)


class Study(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name) / "study"
        self.environment = {**os.environ, "STUDY": str(self.folder), "POINTS": "16"}
        self.points = self.folder / "sweep/points"

    def kill_in_the_sweep(self):
        """Returns the points that were done, and when."""
        killed = subprocess.Popen([sys.executable, STUDY], stdout=subprocess.DEVNULL, env=self.environment)
        deadline = time.monotonic() + 240
        while len(list(self.points.glob("*.json"))) < 2 and killed.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        time.sleep(0.5)  # the program ends with its parent
        done = {file: file.stat().st_mtime_ns for file in self.points.glob("*.json")}
        self.assertGreaterEqual(len(done), 2)
        self.assertLess(len(done), 32)
        return done

    def check(self, printed, done):
        self.assertTrue(all(file.stat().st_mtime_ns == at for file, at in done.items()))
        self.assertIn("32 points, 32 done", printed)
        means = [float(mean) for mean in re.findall("mean ([0-9.]+) s", printed)]
        self.assertEqual(len(means), 2)
        self.assertRegex(printed, r"[+-][0-9.]+ s, mainly \w+")
        advised, simulated = re.search(r"advice: .*: ([0-9.]+) s \(.*\nadvised, simulated: ([0-9.]+) s", printed).groups()
        self.assertAlmostEqual(float(advised), float(simulated), delta=1e-3)
        for name in ("policies.pdf", "sweep.pdf"):
            self.assertEqual((self.folder / name).read_bytes()[:4], b"%PDF")
        self.assertEqual(sorted(os.listdir(self.folder)), ["own", "policies.html", "policies.pdf", "sweep", "sweep.pdf"])

    def test_the_study_is_killed_in_its_sweep_and_goes_on(self):
        done = self.kill_in_the_sweep()
        again = subprocess.run([sys.executable, STUDY], check=True, capture_output=True, text=True, env=self.environment)
        self.check(again.stdout, done)

    @unittest.skipIf(nbformat is None, "needs nbconvert and ipykernel")
    def test_it_is_a_notebook_of_at_most_a_megabyte(self):
        done = self.kill_in_the_sweep()
        kernels = Path(self.temporary.name) / "jupyter/kernels/study"
        kernels.mkdir(parents=True)
        (kernels / "kernel.json").write_text(json.dumps(
            {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "study",
             "language": "python", "env": {"STUDY": str(self.folder), "POINTS": "16"}}))
        os.environ.update(JUPYTER_PATH=str(kernels.parent.parent), JUPYTER_RUNTIME_DIR=self.temporary.name + "/runtime")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells()])
        ExecutePreprocessor(timeout=300, kernel_name="study").preprocess(notebook, {})
        self.check(text_of(notebook), done)
        shown = [sorted(output.data) for cell in notebook.cells for output in cell.outputs if "data" in output]
        self.assertEqual(shown[-3:], [["text/html", "text/plain"], *[["image/svg+xml", "text/html", "text/plain"]] * 2])
        self.assertLess(len(nbformat.writes(notebook)), 1_000_000)


if __name__ == "__main__":
    unittest.main()
