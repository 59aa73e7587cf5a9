#!/usr/bin/env python3
"""Tests scenarios/verdicts.py: its verdicts, and that it finds pages and files that differ from a fresh run."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "scenarios/verdicts.py"
sys.path.insert(0, str(SCRIPT.parent))
from verdicts import BEGIN, END, Item, judged, percent  # noqa: E402

MARKS = f"# Page\n\n{BEGIN}\n{END}\n\nafter\n"


def verdict(*arguments, **options):
    return judged(Item("item", "section", *arguments, **options))["verdict"]


class Verdicts(unittest.TestCase):
    def test_numbers_are_compared_in_the_digits_printed(self):
        self.assertEqual(verdict("2.4322", 2.43224), "exact")
        self.assertEqual(verdict("2.4322", 2.43226), "within 0.0025 %")
        self.assertEqual(verdict("55329", 55329), "exact")
        self.assertEqual(verdict("100", 100.4), "exact")
        self.assertEqual(verdict("100", 85.1), "within 15 %")

    def test_beyond_15_percent_the_comparison_of_the_paper_decides(self):
        self.assertEqual(verdict("100", 84.9, shape=True, cause="why"), "shape only")
        self.assertEqual(verdict("100", 84.9, cause="why"), "not reproduced")
        with self.assertRaises(ValueError):
            verdict("100", 84.9)

    def test_the_worst_number_decides_and_each_is_counted(self):
        line = judged(Item("item", "section", ["1.0", "2.0", "4.0"], [1.01, 2.2, 4.1]))
        self.assertEqual(line["verdict"], "within 10 %")
        self.assertEqual(line["numbers"], {"exact": 1, "within 5 %": 1, "within 15 %": 1})
        with self.assertRaises(ValueError):
            judged(Item("item", "section", ["1", "2"], [1]))

    def test_statements_hold_or_not(self):
        self.assertEqual(verdict("a", "a", holds=True), "exact")
        self.assertEqual(verdict("a", "a", holds=True, ours=True, cause="why"), "shape only")
        self.assertEqual(verdict("a", "b", holds=False, ours=True, cause="why"), "not reproduced")

    def test_what_is_given_or_of_machines_of_ours_or_derived_is_not_counted_as_a_result(self):
        self.assertEqual(judged(Item("a", "b", ["1", "2"], [1, 2.01], given=True, cause="fitted"))["numbers"], {"given": 2})
        self.assertEqual(verdict("1", 2, given=True, cause="fitted"), "not reproduced")
        self.assertEqual(judged(Item("a", "b", ["1", "2"], [1, 2.01], ours=True, cause="why"))["numbers"], {"shape only": 2})
        self.assertEqual(verdict("1", 2, ours=True, cause="why"), "not reproduced")
        line = judged(Item("a", "b", "10", 10.6, derived=True))
        self.assertEqual((line["verdict"], line["numbers"]), ("within 6 %, derived", {}))

    def test_shares_near_100_are_compared_by_what_is_lost(self):
        self.assertEqual(verdict("99.0", 98.9, complement=True), "within 10 %")
        self.assertEqual(verdict("99.0", 98, complement=True, cause="why"), "not reproduced")

    def test_numbers_read_from_a_curve_are_compared_on_its_scale_and_never_exact(self):
        self.assertEqual(verdict(["0.003", "0.267"], [0.0005, 0.267], curve=0.267), "within 0.94 %")
        self.assertEqual(verdict("0.267", 0.267, curve=0.267), "within 0.1 %")

    def test_percentages_are_rounded_up(self):
        self.assertEqual([percent(x) for x in (0.0101, 0.1, 0.00301, 0.149)], ["1.1", "10", "0.31", "15"])


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("guide", "ring"):
            (self.root / "scenarios" / name).mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scenarios")
        (self.root / "scenarios/guide/papers.md").write_text(MARKS)
        self.page = self.root / "scenarios/ring/README.md"
        self.page.write_text(MARKS)
        (self.root / "scenarios/ring/items.py").write_text(
            'from verdicts import Item\n\n\ndef items(study):\n    yield Item("x", "table 1", "3.14", study.run("run", "a.json")["x"])\n')
        self.program = self.root / "program"
        self.answer("3.1412")
        self.assertEqual(self.run_script(), 0)

    def answer(self, x):
        self.program.write_text(f"#!/bin/sh\necho '{{\"x\": {x}}}'\n")
        self.program.chmod(0o755)

    def run_script(self, *options):
        return subprocess.run([sys.executable, self.root / "scenarios/verdicts.py", "--program", self.program, *options],
                              capture_output=True).returncode

    def test_a_page_that_agrees_is_accepted_and_the_rest_of_it_stays(self):
        self.assertEqual(self.run_script("--check"), 0)
        self.assertIn("| x | table 1 | 3.14 | 3.14 | exact |", self.page.read_text())
        self.assertTrue(self.page.read_text().startswith("# Page\n") and self.page.read_text().endswith(f"{END}\n\nafter\n"))

    def test_another_number_of_the_program_is_found_and_nothing_is_written(self):
        self.answer("3.3")
        before = self.page.read_text()
        self.assertEqual(self.run_script("--check"), 1)
        self.assertEqual(self.page.read_text(), before)
        self.assertEqual(self.run_script("--pages", "--check"), 0)

    def test_another_number_on_a_page_is_found(self):
        for page in (self.page, self.root / "scenarios/guide/papers.md"):
            text = page.read_text()
            page.write_text(text.replace("| 3.14 | 3.14 |", "| 3.14 | 3.15 |").replace("| 1 |", "| 2 |"))
            self.assertNotEqual(page.read_text(), text)
            self.assertEqual(self.run_script("--pages", "--check"), 1)
            page.write_text(text)

    def test_last_digits_of_a_solver_do_not_matter(self):
        self.answer("3.1412000001")
        self.assertEqual(self.run_script("--check"), 0)

    def test_a_missing_file_of_a_study_is_found(self):
        (self.root / "scenarios/ring/verdicts.jsonl").unlink()
        self.assertEqual(self.run_script("--check"), 1)


if __name__ == "__main__":
    unittest.main()
