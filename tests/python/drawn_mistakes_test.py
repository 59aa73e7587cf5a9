"""Wrong values, drawn for every parameter of every public function: each is an InputError that names what was written.

A parameter has the kinds that it takes; the values are drawn, with a fixed seed, from the kinds that it does not take. A new
parameter fails until it has kinds here."""

import ast
import inspect
import os
import pathlib
import random
import tempfile
import unittest
import warnings

import numpy as np

import factosim
from interface_test import stub_functions
from surroundings import FIRST

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 3, "nb": 960}, "network": {"model": "maxmin"}}
DRAWN = 12  # for each parameter
HPL = "HPLinpack benchmark input file\nany\nHPL.out\n6\n1 # of Ns\n2000 Ns\n1 # of NBs\n960 NBs\n0 PMAP\n1 # of grids\n1 Ps\n1 Qs\n"

# Values by kind. Those of "odd" are of no kind that anything takes.
VALUES = {
    "odd": [object(), 3 + 4j, {1, 2}, np.datetime64("2026-01-01")],
    "function": [lambda: 3],
    "bytes": [b"bytes"],
    "none": [None],
    "bool": [True, False],
    "whole": [7, 10**6 + 1],
    "small": [0, -1],
    "negative": [-(10**9)],
    "real": [2.5, -0.75, 1e300],
    "nonfinite": [float("nan"), float("inf"), -float("inf")],
    "text": ["drawn wrong", "no-such", "a/b/c.json", "é~!"],
    "null": ["nul\0byte"],
    "list": [["drawn"], [None], [[1], [2, 3]]],
    "numbers": [[-3, 2.5]],
    "dict": [{"drawn": 1}, {"x": None}],
    "path": [pathlib.Path("/no/such/drawn")],
    "array": [np.full((2, 2), 0.5), np.zeros((1, 1, 1))],
}
# The kinds that parameters take, by name, or by function and name. None: any value may be right (see mistakes_test.py).
TAKES = {
    "set": "none", "overrides": None, "given": None, "options": None, "progress": None, "style": None, "force": "bool", "isolated": "bool", "simulation": "bool",
    "latex": "bool", "prove": "bool", "words": "bool", "exhaustive": "bool", "force_large": "bool", "resume": "bool", "wait": "bool", "collect": "bool",
    "machine": "bool", "trace": "none bool", "series": "none bool whole small", "replicas": "whole", "advise.replicas": "none whole", "interval": "",
    "sensitivity": "none whole", "jobs": "none whole", "processes": "none whole", "improve": "none whole real", "evaluations": "none whole",
    "starts": "none", "chameleon": "none text path", "out": "none text path", "file": "text path", "folder": "", "write_starvz.folder": "text path", "save.folder": "text path",
    "scheduler": "none", "scenario": "", "what": "function", "grid": "", "errors": "", "engine": "", "chunk": "none whole",
    "sbatch": "list", "memory": "none whole", "objective": "none", "deadline": "none whole real", "distributions": "none",
    "schedulers": "none", "tile_sizes": "none", "formats": "none", "max_error": "none", "runs": "none whole", "schedule.runs": "none whole small", "report.runs": "", "seconds": "none whole real",
    "set_duration.seconds": "whole real", "convert.seconds": "none", "convert.source": "text path dict", "traces": "", "platform": "", "calibrate.platform": "none text path", "nodes": "none whole", "folders": "",
    "run": "", "export.format": "", "read_graph.format": "", "command": "", "kind": "", "files": "text path", "a": "", "b": "", "tolerance": "none", "x": "none text", "lines": "none text",
    "size": "none whole", "font": "none text", "font_size": "none whole", "palette": "none", "title": "none text", "x_label": "none text",
    "y_label": "none text", "x_range": "none numbers", "y_range": "none numbers", "log": "none", "runs_and_panels": "", "panels": "", "path": "", "graph": "",
    "time_unit_s": "whole real", "data_unit_bytes": "whole real", "owners": "none", "kernels": "none", "nb": "whole", "precision": "",
    "seed": "whole small", "network": "none", "name": "text", "numbers.name": None, "source": "", "type": "", "kernel": "text", "worker": "", "add_kernel.name": "text bytes null",
    "flops": "bool whole small real", "add_kernel.seconds": "bool none whole small real", "submit.seconds": "bool none whole small real", "asynchronous_on_gpu": "bool", "timing": "text bytes null", "on_spare_workers": "bool", "is_free": "bool",
    "bytes": "bool whole small", "m": "bool whole small", "n": "bool whole small", "k": "bool whole small", "owner": "bool whole small", "submit.kernel": "bool whole small",
    "accesses": "", "priority": "bool whole small negative",
    "after": "", "node": "bool whole small", "handle": "bool whole small", "task": "bool whole small", "begin_phase.name": "text bytes null",
}


def flow():
    out = factosim.TaskFlow()
    out.submit(out.add_kernel("gemm"), (out.add_handle(8, 0, 0), "rw"))
    return out


def calls(folder):
    """(name, function, right arguments): those that a wrong one is put among."""
    done, graph = factosim.run(LU), flow().finish()
    f, cluster = factosim, factosim.platform("mirage")
    new = lambda name: folder / name
    table = factosim.figure(done, "workers")
    hpl = new("HPL.dat")
    hpl.write_text(HPL)
    yield from {
        "run": (f.run, {"scenario": LU}), "bounds": (f.bounds, {"scenario": LU}), "distribute": (f.distribute, {"scenario": LU}),
        "distribution_figure": (f.distribution_figure, {"scenario": LU}), "load": (f.load, {"file": FIRST}),
        "sweep": (f.sweep, {"what": LU, "grid": {"nt": [2]}, "out": new("sweep")}), "open_sweep": (f.open_sweep, {"folder": new("none")}),
        "read_graph": (f.read_graph, {"path": new("none")}), "from_networkx": (f.from_networkx, {}), "to_networkx": (f.to_networkx, {}),
        "simulate_graph": (f.simulate_graph, {"graph": graph, "platform": "mirage", "kernels": {"gemm": 0.1}}), "platform": (f.platform, {"platform": "mirage"}),
        "read_cluster": (f.read_cluster, {}), "compare": (f.compare, {"a": done, "b": done}), "convert": (f.convert, {"source": hpl, "platform": "mirage"}), "check": (f.check, {"run": done}),
        "advise": (f.advise, {"scenario": LU, "runs": 2}), "schedule": (f.schedule, {"scenario": LU, "runs": 2}),
        "calibrate": (f.calibrate, {"traces": (new("none"),)}), "import_models": (f.import_models, {"folders": new("none"), "out": new("o")}),
        "import_platform": (f.import_platform, {"folders": new("none"), "out": new("o")}),
        "import_starpu": (f.import_starpu, {"folders": new("none"), "out": new("o")}), "export": (f.export, {"run": done, "out": new("o"), "format": "chrome"}),
        "record": (f.record, {"command": ["/bin/true"], "out": new("o")}), "list_of": (f.list_of, {}), "schema": (f.schema, {}),
        "validate": (f.validate, {"files": (FIRST,)}), "report": (f.report, {"runs": (done,)}), "figure": (f.figure, {"runs_and_panels": (done, "workers")}),
        "write_csv": (f.write_csv, {"source": done, "file": new("t.csv")}), "write_starvz": (f.write_starvz, {"source": done, "folder": new("s")}),
        "open_run": (f.open_run, {}), "Cluster.set_duration": (cluster.set_duration, dict(type="mirage", kernel="gemm", worker="cpu", seconds=1, nb=960, precision="double")),
        "Figure.save": (table.save, {}), "Run.save": (done.save, {}), "Run.figure": (done.figure, {"panels": ("workers",)}), "TaskGraph.save": (graph.save, {"file": new("g.jsonl")}), "TaskGraph.with_owners": (graph.with_owners, {"owners": [0]}),
        "Page.save": (done.report().save, {}),
        "TaskFlow.add_kernel": (lambda *a, **k: flow().add_kernel(*a, **k), {"name": "new"}), "TaskFlow.add_handle": (lambda *a, **k: flow().add_handle(*a, **k), {"bytes": 8}),
        "TaskFlow.submit": (lambda *a, **k: flow().submit(*a, **k), {"kernel": 0}), "TaskFlow.wont_use": (lambda *a, **k: flow().wont_use(*a, **k), {"handle": 0}),
        "TaskFlow.flush_inputs": (lambda *a, **k: flow().flush_inputs(*a, **k), {"task": 0}), "TaskFlow.begin_phase": (lambda *a, **k: flow().begin_phase(*a, **k), {"name": "x"}),
    }.items()


def parameters_of(name, function):
    """The parameters; of the native module, those of its stub."""
    if name.startswith(("TaskFlow.", "TaskGraph.")):
        tree = ast.parse((pathlib.Path(factosim.__file__).parent / "_factosim.pyi").read_text())
        return dict(stub_functions(tree))[name]
    return list(inspect.signature(function).parameters)


def put(function, name, right, parameter, value):
    """Calls with a wrong value among the right ones."""
    star = next((p for p in ("traces", "files", "runs_and_panels", "panels", "accesses") if p == parameter or p in right), None) or ("runs" if name == "report" else None)
    named = {k: v for k, v in right.items() if k != star}
    positional = tuple(right.get(star, ())) if star else ()
    if parameter == star:
        return function(*named.values(), value) if star == "accesses" else function(*positional[1:], value, **named)
    named[parameter] = value
    return function(*positional, **named)


class Drawn(unittest.TestCase):
    def test_every_function_that_takes_something_is_here(self):
        with tempfile.TemporaryDirectory() as folder:
            here = {name for name, _ in ((n, f) for n, f in calls(pathlib.Path(folder)))}
        public = {name for name in factosim.__all__ if inspect.isfunction(getattr(factosim, name))}
        self.assertLessEqual(public, here)

    def test_wrong_values_are_input_errors_that_name_them(self):
        draw, count, wrong = random.Random(59), 0, []
        with tempfile.TemporaryDirectory() as text, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folder = pathlib.Path(text)
            for name, (function, right) in calls(folder):
                for parameter in parameters_of(name, function):
                    member = name.rpartition(".")[2]
                    takes = TAKES[f"{member}.{parameter}"] if f"{member}.{parameter}" in TAKES else TAKES[parameter]
                    if takes is None:
                        continue
                    values = [v for kind, of_kind in VALUES.items() if kind not in takes.split() for v in of_kind]
                    for value in draw.sample(values, min(DRAWN, len(values))):
                        count += 1
                        if problem := self.problem(function, name, right, parameter, value):
                            wrong.append(f"{name}({parameter}={value!r}): {problem}")
            self.assertEqual(os.listdir(folder), ["HPL.dat"])
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertGreaterEqual(count, 2000)

    @staticmethod
    def problem(function, name, right, parameter, value):
        """What is wrong with the answer to a wrong value; None if it is an InputError that names it."""
        try:
            answer = put(function, name, right, parameter, value)
        except factosim.InputError as error:
            message = str(error)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        else:
            return f"returned {answer!r:.60}"
        named = [parameter, str(value), repr(value)[:20], *(map(str, value) if isinstance(value, list) else map(str, value.values()) if isinstance(value, dict) else ()), "scenario" if parameter == "what" else parameter]
        if "/tmp/factosim-" in message or "TEMPORARY" in message:
            return f"names a temporary file: {message}"
        return None if any(word in message for word in named) else f"does not name it: {message}"


if __name__ == "__main__":
    unittest.main()
