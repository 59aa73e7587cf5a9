"""What the command line has and Python has not: computed of the program's helps and the package's signatures.

Each command is a function; each option one of its parameters, or a reason why Python has none."""

import inspect
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import factosim
from surroundings import CLUSTER, FIRST, PROGRAM, ROOT

LU = {"platform": factosim.platform("mirage", nodes=2), "application": {"type": "lu", "nt": 4, "nb": 960}, "network": "maxmin"}

FUNCTIONS = {
    "run": factosim.run, "bounds": factosim.bounds, "distribute": factosim.distribute, "sweep": factosim.sweep, "advise": factosim.advise,
    "schedule": factosim.schedule, "import starpu-model": factosim.import_models, "import starpu-platform": factosim.import_platform,
    "import starpu": factosim.import_starpu,
    "calibrate": factosim.calibrate, "export": factosim.export, "compare": factosim.compare, "record": factosim.record,
    "check": factosim.check, "convert": factosim.convert, "reference": factosim.schema, "platform show": factosim.Cluster.figure, "list": factosim.list_of,
    "validate": factosim.validate, "report": factosim.figure,
}
# Commands for people at a terminal.
NOT_IN_PYTHON = {"help": "help() and the pages", "init": "a scenario is a dict; list_of(\"examples\") names files to load"}
# Options whose parameter has another name, and those that Python does not need.
VALUES = "results are values"
SAME_NAME = {"--output": "out", "--from": "kind", "--tile-sizes": "tile_sizes"}
OTHER = {
    "*": {"--help": "help()", "--quiet": "messages are warnings of Python", "--verbose": "messages are warnings of Python",
          "--color": "messages are warnings of Python", "--json": VALUES},
    "run": {"--force-large": "only the command asks before large runs", "--noise": "a key, by name", "--detail": "a key, by name"},
    "bounds": {"--force-large": "only the command asks before large graphs"},
    "distribute": {"--svg": "distribution_figure", "--steps": "text for people", "--force-large": "only the command asks before large graphs"},
    "sweep": {"--set": "a dict is changed", "--filter": "a list of points is filtered", "--jobs": "processes", "--report": "report(folder)",
              "--count": "len of the grid", "--points": "for the commands of engine=\"list\"", "--max-points": "the grid has them all",
              "--collect": "open_sweep(collect=True)", "--no-wait": "wait=False"},
    "advise": {"--out": VALUES, "--force": VALUES, "--front": VALUES},
    "schedule": {"--seed": "a key, by name"},
    "compare": {"--no-simulation": "simulation=False", "--program": "the paths of the graphs"},
    "check": {"--no-simulation": "simulation=False"},
    "reference": {"--schema": "the argument"},
    "platform show": {"--output": "Figure.save", "--force": "Figure.save"},
    "report": {"--output": "Figure.save, Page.save", "--figure": "names of panels", "--force": "Figure.save, Page.save"},
}
GIVEN = ("import starpu", "import starpu-model", "import starpu-platform", "calibrate", "export", "record")  # take any option by name


def said(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def commands():
    def named(*words):
        return re.findall(r"^  ([a-z][a-z-]+)[ ,]", said(*words, "--help").partition("commands:\n")[2], re.M)

    for name in named():
        yield from [f"{name} {inner}" for inner in named(name)] or [name]


def options_of(command):
    return set(re.findall(r"^  (?:-\w,)?(?:--out,)?(--[a-z][a-z-]+)", said(*command.split(), "--help"), re.M))


def missing_in_python():
    for command in commands():
        if command in NOT_IN_PYTHON:
            continue
        if command not in FUNCTIONS:
            yield command
            continue
        parameters = inspect.signature(FUNCTIONS[command]).parameters
        for option in sorted(options_of(command)):
            name = SAME_NAME.get(option, option[2:].replace("-", "_"))
            if name in parameters or option in {**OTHER["*"], **OTHER.get(command, {})} or command in GIVEN:
                continue
            yield f"{command} {option}"


class Commands(unittest.TestCase):
    def test_python_has_what_the_command_line_has(self):
        self.assertEqual(list(missing_in_python()), [])

    def test_no_exception_is_out_of_date(self):
        all_commands = list(commands())
        self.assertGreater(len(all_commands), 17)
        self.assertLessEqual({*FUNCTIONS, *NOT_IN_PYTHON}, set(all_commands))
        for command, options in OTHER.items():
            known = options_of(command) if command != "*" else set.union(*map(options_of, all_commands))
            self.assertLessEqual(set(options), known, command)
            for option in options if command != "*" else ():
                self.assertNotIn(option[2:].replace("-", "_"), inspect.signature(FUNCTIONS[command]).parameters, command)

    def test_examples_are_files_to_load(self):
        for example in factosim.list_of("examples"):
            self.assertIn("format", factosim.load(example["file"]) or {"format": ""})


class Added(unittest.TestCase):
    """What has come to Python from the command line gives what that prints."""

    def test_sensitivity(self):
        run = factosim.run(FIRST, nt=6, sensitivity=3)
        expected = json.loads(said("run", FIRST, "--set=nt=6", "--sensitivity=3", "--json"))
        self.assertEqual(run.sensitivity, expected["sensitivity"])
        self.assertEqual(factosim.run(FIRST, nt=4).sensitivity, {})
        self.assertEqual(factosim.check(run)["findings"], 0)
        with self.assertRaisesRegex(factosim.InputError, "sensitivity#: is 1"):
            factosim.run(FIRST, nt=4, sensitivity=1)

    def test_words(self):
        self.assertEqual(factosim.bounds(CLUSTER, nt=6, words=True), json.loads(said("bounds", CLUSTER, "--set=nt=6", "--words", "--json")))

    def test_maps_are_improved_written_and_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "map.txt"
            owners = factosim.distribute(LU, chameleon=file)
            self.assertEqual(owners.tolist(), factosim.distribute(LU).tolist())
            self.assertTrue(file.read_text())
            with self.assertRaisesRegex(factosim.InputError, "force=True"):
                factosim.distribute(LU, chameleon=file)
            better = factosim.distribute(LU, evaluations=5, starts=["1d1d"])
            self.assertEqual((better.shape, better.dtype), ((4, 4), np.int32))
            figure = factosim.distribution_figure(LU)
            self.assertEqual(figure.content["kind"], "map")
            figure.save(Path(folder) / "map.svg")
            figure.save(Path(folder) / "map.csv")
            cholesky = {**LU, "application": {"type": "cholesky", "nt": 4, "nb": 960}}
            written, plain = factosim.distribute(cholesky, chameleon=Path(folder) / "c.txt"), factosim.distribute(cholesky)
            self.assertEqual(np.tril(written).tolist(), np.tril(plain).tolist())
            again = [factosim.run({**cholesky, "distribution": owners}).makespan_s for owners in (written, plain)]
            self.assertEqual(again, [factosim.run(cholesky).makespan_s] * 2)

    def test_machines_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            for cluster in (factosim.platform("mirage", nodes=3), factosim.platform("lille")):
                figure = cluster.figure()
                self.assertEqual(figure.content["kind"], "machines")
                figure.save(Path(folder) / "machines.svg")
                self.assertNotIn("factosim-", json.dumps(figure.content).replace("factosim-figure", ""))

    def test_comparisons_have_tolerances_and_tables(self):
        a, b = factosim.run(LU), factosim.run(LU, scheduler="eager")
        beyond = factosim.compare(a, b, tolerance="makespan=1%")
        self.assertNotEqual(beyond.result, factosim.compare(a, b).result)
        self.assertIn("tabular", factosim.compare(a, b, latex=True).text)
        with self.assertRaisesRegex(factosim.InputError, "tolerance#"):
            factosim.compare(a, b, tolerance="makespan")

    def test_files_are_validated(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / "wrong.json"
            wrong.write_text('{"format": "factosim-scenario", "version": 1, "platform": "miarge", "application": {"type": "lu", "nt": 3}}')
            right, problems = factosim.validate(FIRST, wrong)
            self.assertEqual((right["kind"], right["problems"]), ("scenario", []))
            self.assertIn("miarge", json.dumps(problems["problems"]))
        with self.assertRaises(factosim.InputError):
            factosim.validate()

    def test_schemas(self):
        self.assertIn("properties", json.dumps(factosim.schema("scenario")))
        with self.assertRaisesRegex(factosim.InputError, "scenarrio"):
            factosim.schema("scenarrio")

    def test_programs_that_cannot_be_recorded_are_named(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(factosim.InputError, "true"):
            factosim.record(["/bin/true"], Path(folder) / "g.jsonl")

    def test_sweeps_have_limits_of_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            for limits in ({"memory": "2GB"}, {"memory": 2 * 10**9, "force_large": True}):
                table = factosim.sweep(LU, {"nt": [3]}, out=Path(folder) / "s", resume=True, **limits)
                self.assertEqual(table["status"].tolist(), ["done"])


if __name__ == "__main__":
    unittest.main()
