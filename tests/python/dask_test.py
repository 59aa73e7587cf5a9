"""Graphs of Dask: dicts of keys and computations, against their dependencies written down by hand, and its DOT files."""

import operator
import unittest
import warnings
from pathlib import Path

import factosim
from graph_lines import rows_of
from surroundings import InOwnFolder


class Dask(InOwnFolder):
    def test_dicts_of_dask_are_graphs(self):
        class Listed:  # as a task of Dask since 2024
            def __init__(self, *dependencies):
                self.func, self.dependencies = operator.add, frozenset(dependencies)

        keys = {("x-0a1b2c3d", 0): (operator.add, 1, 2), ("x-0a1b2c3d", 1): (operator.add, 1, [3, {"k": ("x-0a1b2c3d", 0)}]), "one": 1,
                "y": "one", "sum-1f": (sum, [("x-0a1b2c3d", 0), (abs, ("x-0a1b2c3d", 1)), "y"]), "z": Listed("sum-1f", "one")}
        graph = factosim.convert(keys, "d.jsonl", seconds={"x": 0.5, "x-0a1b2c3d,1": 0.75, "sum": 2, "z": 1})
        tasks, before, _, _ = rows_of(Path("d.jsonl").read_text())
        self.assertEqual(before, {"x-0a1b2c3d,0": set(), "x-0a1b2c3d,1": {"x-0a1b2c3d,0"}, "one": set(), "y": {"one"},
                                  "sum-1f": {"x-0a1b2c3d,0", "x-0a1b2c3d,1", "y"}, "z": {"sum-1f", "one"}})
        self.assertEqual([task["kernel"] for task in tasks.values()], ["x", "x", "data", "data", "sum", "z"])
        self.assertAlmostEqual(factosim.simulate_graph(graph, "mirage").makespan_s, 0.5 + 0.75 + 2 + 1, 3)
        with self.assertWarnsRegex(UserWarning, "have no time: sum, z"):
            warnings.simplefilter("always")
            factosim.convert(keys, seconds={"x": 1})
        for wrong, message in [({"a": (abs, "b"), "b": (abs, "a")}, "waits for itself"), ({}, "graph#: has no task"),
                               ({1: (abs, 2), "1": 3}, 'two keys called "1"')]:
            with self.assertRaisesRegex(factosim.InputError, message):
                factosim.convert(wrong)
        with self.assertRaisesRegex(factosim.InputError, "seconds#/x: is -1"):
            factosim.convert(keys, seconds={"x": -1})

    def test_dot_of_dask_is_read_as_a_graph_without_durations(self):
        Path("d.dot").write_text("""digraph {
\tgraph [rankdir=BT]\n\tnode [fontname=helvetica]
\t567 [label=add shape=circle]\n\t567 -> -604\n\t-281 [label="" shape=box]\n\t-281 -> 567\n\t-604 [label="" shape=box]
\t-640 [label=inc shape=circle]\n\t-640 -> -281\n}""")
        graph = factosim.read_graph("d.dot")
        self.assertEqual(len(graph), 4)  # functions, and their results
        self.assertFalse(graph.has_durations)


if __name__ == "__main__":
    unittest.main()
