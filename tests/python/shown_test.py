"""What is shown of runs: their names, summaries, figures in every ending, and the page on request."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import factosim
from factosim._labels import labels_of
from surroundings import FIRST, PROGRAM, ROOT

try:
    import matplotlib
except ImportError:
    matplotlib = None

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 6, "nb": 960}, "network": "maxmin"}


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.a, cls.b, cls.c = factosim.run(LU), factosim.run(LU, scheduler="eager"), factosim.run(LU, nt=7)

    def test_runs_are_named_by_the_keys_that_differ(self):
        self.assertEqual(labels_of([self.a, self.b]), ["dmdas", "eager"])
        self.assertEqual(labels_of([self.a, self.c]), ["nt=6", "nt=7"])
        self.assertEqual(labels_of([self.a, self.b, self.c]), ["nt=6, dmdas", "nt=6, eager", "nt=7, dmdas"])
        html = factosim.report(self.a, self.b).html
        self.assertEqual(re.search("<title>(.*)</title>", html)[1], "dmdas | eager")

    def test_or_as_the_caller_says(self):
        with tempfile.TemporaryDirectory() as folder:
            html = factosim.report({"mine": self.a, "yours": self.b.save(Path(folder) / "b")}).html
        self.assertEqual(re.search("<title>(.*)</title>", html)[1], "mine | yours")

    def test_a_name_that_states_what_a_setting_changed_says_so(self):
        name = "LU of 20 x 20 tiles on one node of 9 cores and 3 GPUs"
        self.assertEqual(factosim.run(FIRST).name, name)
        self.assertEqual(factosim.run(FIRST, nt=5).name, name + ", with nt=5")
        self.assertEqual(factosim.run(FIRST, {"/scheduler/type": "dm"}).name, name)
        self.assertEqual(factosim.run(FIRST, {"nt": 4, "/application/type": "cholesky"}).name, name + ', with nt=4, type="cholesky"')
        self.assertEqual(factosim.run(FIRST, {"platform": "attila"}).name, name + ', with platform="attila"')
        self.assertEqual(factosim.run(FIRST, {"/runtime/max_gpus": 1}).name, name + ", with max_gpus=1")
        self.assertEqual(factosim.run(FIRST, {"nt": 5, "/name": "mine"}).name, "mine")
        printed = subprocess.run([PROGRAM, "run", FIRST, "--set", "nt=5"], capture_output=True, text=True, check=True).stdout
        self.assertIn(name + ", with nt=5\n", printed)

    def test_a_summary_is_what_the_program_prints(self):
        printed = subprocess.run([PROGRAM, "run", FIRST], capture_output=True, text=True, check=True).stdout
        summary = factosim.run(FIRST).summary()
        self.assertEqual(*(re.sub("cost  .*", "", text) for text in (summary, printed)))
        with tempfile.TemporaryDirectory() as folder:
            opened = factosim.open_run(factosim.run(FIRST, nt=5, out=Path(folder) / "run").folder)
            self.assertIn(opened.diagnosis, opened.summary())


@unittest.skipIf(matplotlib is None, "needs matplotlib")
class Figures(unittest.TestCase):
    def test_the_ending_decides(self):
        run = factosim.run(LU)
        with tempfile.TemporaryDirectory() as folder:
            figure = run.figure("workers", "ready", size="88x60", title="mine", palette="grey", font_size=7, x_range=(0, 0.5))
            for ending, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("csv", b"run,panel,"), ("json", b"{")):
                figure.save(Path(folder) / f"figure.{ending}")
                self.assertEqual((Path(folder) / f"figure.{ending}").read_bytes()[: len(start)], start)
            self.assertIn("mine", figure.svg)
            command = [PROGRAM, "report", run.folder, "--figure", "workers,ready", "--size", "88x60", "--title", "mine", "--palette", "grey",
                       "--font-size", "7", "--x-range", "0:0.5", "-o", Path(folder) / "program.svg"]
            subprocess.run(command, check=True, capture_output=True)
            self.assertEqual((Path(folder) / "program.svg").read_bytes(), (Path(folder) / "figure.svg").read_bytes())

    def test_recipes_of_own_figures_draw_the_columns_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            table, out = Path(folder) / "tasks.csv", Path(folder) / "gantt.pdf"
            factosim.write_csv(factosim.run(LU), table)
            recipes = {"own_figure.py": [sys.executable], "own_figure.R": ["Rscript"]}
            for name, interpreter in recipes.items():
                recipe = ROOT / "scenarios/guide" / name
                code = [line for line in recipe.read_text().splitlines() if line and not line.startswith(("#", '"""'))]
                self.assertLessEqual(len(code), 15)
                library = ["-c", "import pandas"] if name.endswith(".py") else ["-e", "library(ggplot2)"]
                with self.subTest(name):
                    if shutil.which(interpreter[0]) is None or subprocess.run([*interpreter, *library], capture_output=True).returncode != 0:
                        self.skipTest(f"{name} needs {interpreter[0]} with {library[1]}")
                    subprocess.run([*interpreter, recipe, table, out], check=True, capture_output=True, cwd=folder)
                    self.assertEqual(out.read_bytes()[:4], b"%PDF")
                    out.unlink()

    def test_a_cell_that_ends_with_a_run_shows_a_summary_and_a_chart_in_60_kB(self):
        cluster = {"platform": factosim.platform("lille"), "application": {"type": "lu", "nt": 40, "nb": 960}, "network": "maxmin"}
        for run in (factosim.run(FIRST), factosim.run(cluster), factosim.run(LU, trace=False)):
            html = run._repr_html_()
            self.assertLess(len(html), 60_000)
            self.assertIn("limit  ", html)
            self.assertEqual("data:image" in html, (run.folder / "run.trace").exists())


if __name__ == "__main__":
    unittest.main()
