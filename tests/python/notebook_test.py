"""A notebook that runs from its first to its last cell and shows runs, pages, figures and progress."""

import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from surroundings import FIRST

try:
    import ipykernel
    import nbconvert
    import nbformat
    from nbconvert.preprocessors import CellExecutionError, ExecutePreprocessor
except ImportError as error:
    nbformat = None
    missing = str(error)

CELLS = [
    f"import factosim\nrun = factosim.run({str(FIRST)!r}, nt=12)\nrun",
    'run.figure("workers", "iterations")',
    f"factosim.report(run, factosim.run({str(FIRST)!r}, ['nt=12', '/scheduler/type=eager']))",
    f"factosim.run({str(FIRST)!r}, nt=30, progress=True).makespan_s",
    f"class Lazy(factosim.Scheduler):\n"
    f"    def push(self, task, pusher): return factosim.ALL_WORKERS\n"
    f"    def pop(self, worker): return None\n"
    f"try:\n    factosim.run({str(FIRST)!r}, nt=4, scheduler=Lazy)\n"
    f"except factosim.InputError as error:\n    print(error)",
    "factosim.sweep(lambda nt: factosim.run(" + repr(str(FIRST)) + ", nt=nt), {'nt': [3, 4]})['makespan_s']",
]


@unittest.skipIf(nbformat is None, "needs nbconvert and ipykernel")
class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # A kernel of this interpreter, wherever others are installed.
        kernels = Path(cls.folder.name) / "kernels/factosim_test"
        kernels.mkdir(parents=True)
        (kernels / "kernel.json").write_text(json.dumps(
            {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "test",
             "language": "python"}))
        os.environ["JUPYTER_PATH"] = cls.folder.name
        os.environ["JUPYTER_RUNTIME_DIR"] = cls.folder.name + "/runtime"
        cls.notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
        ExecutePreprocessor(timeout=120, kernel_name="factosim_test").preprocess(cls.notebook, {})
        cls.exported = nbconvert.HTMLExporter().from_notebook_node(cls.notebook)[0]
        if target := os.environ.get("FACTOSIM_NOTEBOOK_HTML"):  # to look at it
            Path(target).write_text(cls.exported)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def outputs(self, cell):
        return self.notebook.cells[cell].outputs

    def data(self, cell):
        return self.outputs(cell)[-1].data

    def test_a_run_shows_a_summary_and_a_small_chart(self):
        shown = self.data(0)["text/html"]
        self.assertIn("limit  ", shown)
        self.assertIn("data:image", shown)
        self.assertLess(len(shown), 60_000)

    def test_a_figure_shows_as_svg(self):
        self.assertTrue(self.data(1)["image/svg+xml"].startswith("<svg"))

    def test_an_exported_notebook_has_pages_and_figures(self):
        self.assertEqual(len(re.findall("<iframe[^>]* srcdoc=", self.exported)), 1)
        self.assertRegex(self.exported, r'<img[^>]* src="data:image/svg.xml;base64,')

    def test_a_page_compares_runs(self):
        self.assertIn("eager", self.data(2)["text/html"])

    def test_progress_is_shown_and_taken_away(self):
        self.assertEqual([o.output_type for o in self.outputs(3)][0], "display_data")
        self.assertEqual(self.outputs(3)[0].data["text/plain"], "")
        self.assertGreater(float(self.data(3)["text/plain"]), 0)

    def test_classes_of_a_notebook_are_policies(self):
        self.assertIn("policy Lazy#: keeps 1 task for ever", self.outputs(4)[-1].text)

    def test_functions_of_a_notebook_are_swept(self):
        self.assertIn("array", self.data(5)["text/plain"])


if __name__ == "__main__":
    unittest.main()
