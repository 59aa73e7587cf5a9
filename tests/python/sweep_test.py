"""Sweeps of scenarios and functions in processes."""

import os
import unittest

import numpy as np

import factosim
from surroundings import FIRST


class Sweeps(unittest.TestCase):
    grid = {"nt": [4, 6], "/scheduler/type": ["eager", "dmdas"]}

    def test_a_scenario_gives_a_row_for_each_combination_in_order(self):
        table = factosim.sweep(FIRST, self.grid, processes=2)
        self.assertEqual(table["nt"].tolist(), [4, 4, 6, 6])
        self.assertEqual(table["/scheduler/type"].tolist(), ["eager", "dmdas"] * 2)
        alone = [factosim.run(FIRST, {"nt": nt, "/scheduler/type": policy}).makespan_s
                 for nt, policy in zip(table["nt"].tolist(), table["/scheduler/type"])]
        self.assertEqual(table["makespan_s"].tolist(), alone)
        self.assertTrue(np.all(table["bound_abe_s"] <= table["makespan_s"]))

    def test_the_result_does_not_depend_on_the_number_of_processes(self):
        one, three = (factosim.sweep(FIRST, self.grid, processes=p) for p in (1, 3))
        self.assertEqual({k: v.tolist() for k, v in one.items()}, {k: v.tolist() for k, v in three.items()})

    def test_a_function_runs_in_other_processes_and_may_be_a_lambda(self):
        offset = 10
        table = factosim.sweep(lambda x, y: {"sum": x + y + offset, "process": os.getpid()},
                               [{"x": 1, "y": 2}, {"x": 3, "y": 4}], processes=2)
        self.assertEqual(table["sum"].tolist(), [13, 17])
        self.assertNotIn(os.getpid(), table["process"])
        values = factosim.sweep(lambda nt: factosim.run(FIRST, nt=nt).makespan_s, {"nt": [4, 5]})
        self.assertEqual(values["value"].tolist(), [factosim.run(FIRST, nt=nt).makespan_s for nt in (4, 5)])

    def test_errors_are_raised_or_recorded(self):
        grid = {"nt": [4, 0]}
        with self.assertRaises(factosim.InputError) as caught:
            factosim.sweep(FIRST, grid)
        self.assertEqual(caught.exception.pointer, "/application/nt")
        table = factosim.sweep(FIRST, grid, errors="record")
        self.assertIsNone(table["error"][0])
        self.assertIn("/application/nt", table["error"][1])
        self.assertTrue(np.isnan(table["makespan_s"][1]))
        table = factosim.sweep(lambda x: 1 // x, {"x": [0, 1]}, errors="record")
        self.assertEqual(table["error"].tolist(), ["ZeroDivisionError: integer division or modulo by zero", None])
        with self.assertRaises(ZeroDivisionError):
            factosim.sweep(lambda x: 1 // x, {"x": [0, 1]})

    def test_pandas_takes_the_table(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(factosim.sweep(FIRST, self.grid))
        self.assertEqual(frame.pivot(index="nt", columns="/scheduler/type", values="makespan_s").shape, (2, 2))


if __name__ == "__main__":
    unittest.main()
