"""Scenarios run from Python: results, columns, errors."""

import csv
import io
import json
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import factosim
from surroundings import CLUSTER, FIRST, PROGRAM, ROOT


def command(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def without_cost(result):
    """Leaves out what the simulation took, and the commit, if the program is older than the package."""
    out = {key: value for key, value in result.items() if key != "simulation"}
    return {**out, "provenance": {**out["provenance"], "git": ""}}


class Results(unittest.TestCase):
    def test_two_runs_in_one_interpreter_give_the_bytes_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, (nt, seed) in enumerate([(6, 1), (8, 2), (6, 1)]):
                settings = [f"nt={nt}", f"/seed={seed}"]
                out = Path(folder) / str(number)
                command("run", FIRST, "--set", settings[0], "--set", settings[1], "--out", out)
                run = factosim.run(FIRST, settings)
                # Text, and so the order of keys, apart from the cost of the simulation.
                expected = json.loads((out / "result.json").read_text())
                self.assertEqual(json.dumps(without_cost(run.result)), json.dumps(without_cost(expected)))
                self.assertEqual((run.folder / "run.trace").read_bytes(), (out / "run.trace").read_bytes())
                # The model of which a process simulates once, unless factosim was built without it.
                self.assertIn(run.result["provenance"]["options"]["network"]["model"],
                              ("maxmin",) if run.result["provenance"]["simgrid"] == "none" else ("simgrid",))

    def test_a_dict_gives_the_makespan_of_its_file(self):
        scenario = factosim.load(FIRST)
        self.assertTrue(Path(scenario["platform"]).is_absolute())
        self.assertEqual(factosim.run(scenario, nt=7).makespan_s, factosim.run(FIRST, {"nt": 7}).makespan_s)

    def test_settings_have_the_forms_of_the_command_line_and_of_python(self):
        forms = [["nt=5", "/scheduler/type=dm"], {"nt": np.int64(5), "/scheduler/type": "dm"}]
        runs = [factosim.run(FIRST, form, trace=False).makespan_s for form in forms]
        runs.append(factosim.run(FIRST, {"/scheduler/type": "dm"}, nt=5).makespan_s)
        self.assertEqual(len(set(runs)), 1)

    def test_bounds_and_maps_are_those_of_the_commands(self):
        self.assertEqual(factosim.bounds(FIRST, nt=5)["abe_s"], factosim.run(FIRST, nt=5).bounds["abe_s"])
        printed = json.loads(command("distribute", CLUSTER, "--set", "nt=12", "--json"))
        owners = factosim.distribute(CLUSTER, nt=12)
        np.testing.assert_array_equal(owners, printed["owner"])
        self.assertEqual(factosim.run(CLUSTER, {"nt": 12, "/distribution": owners}).makespan_s,
                         factosim.run(CLUSTER, nt=12).makespan_s)

    def test_a_platform_may_be_a_dict(self):
        platform = json.loads((ROOT / "platforms/mirage.json").read_text())
        for node_type in platform["node_types"].values():
            node_type["kernels"] = str((ROOT / "platforms" / node_type["kernels"]).resolve())
        scenario = factosim.load(FIRST)
        self.assertEqual(factosim.run({**scenario, "platform": platform}, nt=6).makespan_s,
                         factosim.run(scenario, nt=6).makespan_s)

    def test_a_kept_run_is_checked_by_the_program_and_not_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = factosim.run(FIRST, nt=5, out=Path(folder) / "kept", series=True)
            command("check", kept.folder)  # fails if it finds a violation
            with self.assertRaisesRegex(factosim.InputError, "force=True"):
                factosim.run(FIRST, nt=5, out=kept.folder)
            factosim.run(FIRST, nt=6, out=kept.folder, series=True, force=True)
            self.assertEqual(factosim.open_run(kept.folder).result["tasks"], 91)
            saved = kept.save(Path(folder) / "copy")
            self.assertTrue((saved / "run.trace").exists())

    def test_a_run_passes_between_processes(self):
        run = factosim.run(FIRST, nt=5)
        copy = pickle.loads(pickle.dumps(run))
        self.assertEqual(copy.result, run.result)
        np.testing.assert_array_equal(copy.tasks["end_s"], run.tasks["end_s"])

    def test_studies_have_results(self):
        scenario = ROOT / "scenarios/ring/toy.json"
        self.assertGreater(factosim.run(scenario).makespan_s, 0)


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulated = factosim.run(CLUSTER, nt=10, series=100)

    def test_tasks_are_those_of_the_exported_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = factosim.write_csv(self.simulated, Path(folder) / "tasks.csv")
            rows = list(csv.DictReader(io.StringIO(file.read_text())))
        tasks = self.simulated.tasks
        self.assertEqual(len(rows), len(tasks["task"]))
        for i in range(0, len(rows), 7):
            row = rows[i]
            t = int(row["id"]) - 1
            self.assertEqual(row["task"], tasks["kernel"][t])
            self.assertEqual(float(row["start_s"]), tasks["start_s"][t])
            self.assertEqual(float(row["end_s"]), tasks["end_s"][t])
            self.assertEqual(int(row["iteration"]), tasks["k"][t])

    def test_columns_agree_with_the_result(self):
        tasks, result = self.simulated.tasks, self.simulated.result
        self.assertEqual(tasks["end_s"].max(), self.simulated.makespan_s)
        for node in result["nodes"]:
            of_node = tasks["node"] == node["id"]
            self.assertEqual(of_node.sum(), node["tasks"])
            self.assertAlmostEqual(tasks["duration_s"][of_node].sum(), node["busy_s"], delta=1e-9 * node["busy_s"])
        self.assertEqual(len(self.simulated.messages["from"]), result["tiles_sent"])
        self.assertEqual(self.simulated.messages["size_bytes"].sum(), result["bytes_sent"])

    def test_no_task_starts_before_those_it_depends_on_end(self):
        edges, tasks = self.simulated.dependencies, self.simulated.tasks
        self.assertGreater(len(edges["task"]), 0)
        self.assertTrue(np.all(tasks["end_s"][edges["predecessor"]] <= tasks["start_s"][edges["task"]]))

    def test_series_integrate_to_the_busy_time(self):
        series = self.simulated.series
        self.assertEqual(len(series["node"]) % len(self.simulated.result["nodes"]), 0)
        for node in self.simulated.result["nodes"]:
            of_node = series["node"] == node["id"]
            length = np.diff(series["end_s"][of_node], prepend=0)
            busy = (series["running_tasks"][of_node] * length).sum()
            self.assertAlmostEqual(busy, node["busy_s"], delta=2e-3 * self.simulated.makespan_s)
        self.assertEqual(self.simulated.iterations["tasks"].sum(), self.simulated.result["tasks"])

    def test_pandas_takes_columns_as_they_are(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame(self.simulated.tasks)
        self.assertTrue(np.shares_memory(pandas.DataFrame(self.simulated.tasks, copy=False)["start_s"].to_numpy(),
                                         self.simulated.trace.columns["task.start_s"]))
        by_kernel = frame.groupby("kernel")["duration_s"].count()
        counts = self.simulated.result["tasks_by_kernel"]
        self.assertEqual(by_kernel.to_dict(), {k: n for k, n in counts.items() if n})
        for table in (self.simulated.messages, self.simulated.copies, self.simulated.accesses, self.simulated.dependencies, self.simulated.series):
            pandas.DataFrame(table)


class Errors(unittest.TestCase):
    def test_a_wrong_value_names_file_pointer_and_problem(self):
        with self.assertRaises(factosim.InputError) as caught:
            factosim.run(FIRST, nt=0)
        self.assertEqual(caught.exception.file, str(FIRST))
        self.assertEqual(caught.exception.pointer, "/application/nt")
        self.assertTrue(caught.exception.problem)
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_dict_is_named_too(self):
        with self.assertRaises(factosim.InputError) as caught:
            factosim.run({"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960, "typ": 1}})
        self.assertEqual(caught.exception.file, "<scenario>")
        self.assertIn("typ", caught.exception.pointer + caught.exception.problem)

    def test_arrays_and_dicts_are_named_in_place_of_the_files_made_of_them(self):
        scenario = {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, "network": {"model": "maxmin"}}
        for changes, message in (
            ({"distribution": np.full((4, 4), 7)}, "<scenario>#/distribution: [0, 0] is 7 (nodes are numbered from 0 to 0)"),
            ({"distribution": np.full((4, 4), 0.99)}, "<scenario>#/distribution: has numbers of type float64"),
            ({"distribution": np.full((4, 4), -1)}, "<scenario>#/distribution: [0, 0] is -1"),
            ({"platform": {"node_types": {}, "nodes": []}}, "<platform>#"),
        ):
            with self.subTest(message), self.assertRaises(factosim.InputError) as caught:
                factosim.run({**scenario, **changes})
            self.assertTrue(str(caught.exception).startswith(message), caught.exception)
        with self.assertRaisesRegex(factosim.InputError, 'set#: .* such as {"/application/nt": 50}'):
            factosim.run(scenario, ntt=3)

    def test_missing_files_and_wrong_settings_are_input_errors(self):
        for call in (lambda: factosim.run("missing.json"), lambda: factosim.run(FIRST, ["no_key=1"]),
                     lambda: factosim.open_run("/nonexistent"), lambda: factosim.figure(FIRST.parent, "nodes")):
            self.assertRaises(factosim.InputError, call)

    def test_scenarios_without_a_solution_are_infeasible(self):
        with self.assertRaises(factosim.InfeasibleError):
            factosim.run(FIRST, {"nt": 80})

    def test_values_that_are_no_json_are_refused(self):
        with self.assertRaisesRegex(factosim.InputError, "set#/nt: is <object object"):
            factosim.run(FIRST, {"nt": object()})
        with self.assertRaisesRegex(factosim.InputError, "<scenario>#/application/nt: is nan"):
            factosim.run({"platform": "mirage", "application": {"nt": float("nan")}})


if __name__ == "__main__":
    unittest.main()
