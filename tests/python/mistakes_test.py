"""Two hundred wrong inputs: each is an InputError that names what was written, and leaves nothing behind."""

import itertools
import os
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

import factosim
from policies import Eager
from surroundings import FIRST

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, "network": {"model": "maxmin"}}
CLUSTER = {"node_types": {"node": {"cores": 2, "ram_bytes": 10**10, "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}}},
           "network": {}, "nodes": [{"type": "node", "count": 2}]}


def flow():
    out = factosim.TaskFlow()
    out.submit(out.add_kernel("gemm"), (out.add_handle(8, 0, 0), "rw"))
    return out


def changed(pointer, value):
    """The scenario with a value at a pointer."""
    if pointer.count("/") == 1:
        return {**LU, pointer[1:]: value}
    part, key = pointer[1:].split("/")
    return {**LU, part: {**LU.get(part, {}), key: value}}


def values_of_keys():
    numbers = [-3, 2.5, "twelve", [7], {"x": 1}]
    for pointer, values in {
        "/application/nt": [0, *numbers, 10**9, np.int64(-7), np.float32(2.5)], "/application/nb": [0, *numbers],
        "/application/precision": ["duble", 64, ["double"]], "/application/type": ["lou", 3, "choleski"],
        "/scheduler/type": ["dmdass", "dmd", 5], "/scheduler/alpha": [-1, "much"], "/scheduler/alhpa": [1],
        "/network/model": ["maxmim", "simgird", 3], "/network/bandwidth_factor": [-1, "wide"],
        "/runtime/prefetch": ["yes", 2], "/runtime/max_gpus": [-1, 1.5, "two"], "/runtime/gpu_memory_fraction": [2, -0.5, "half"],
        "/noise/distribution": ["lognormale", 3], "/noise/scale": [-1, "big"],
        "/distribution/type": ["block-cylic", "1d1", 4], "/seed": [-1, 1.5, "x"], "/name": [3, ["a"]],
        "/platform": ["miarge", "lile", 3, ["mirage"], "no/such.json"], "/outputs/trace": ["yes", 3],
        "/runtme": [{}], "/application/ntt": [4],
    }.items():
        for value in values:
            yield changed(pointer, value), pointer.rsplit("/", 1)[-1], value


def mistakes(folder):
    """(call, words of its message)"""
    run, short = factosim.run, factosim.simulate_graph
    unknown = ("ntt", "alhpa", "runtme")
    for scenario, key, value in values_of_keys():
        plain = isinstance(value, (int, float, str)) and not isinstance(value, np.generic) and key not in unknown
        yield lambda s=scenario: run(s), [*([] if key == "platform" else [key]), *([str(value)] if plain and value != 10**9 else [])]
    for settings, words in (({"ntt": 3}, ["ntt"]), (["nt"], ["nt"]), (3, ["3"]), ({3: 4}, ["3"]), ({"nt": {1, 2}}, ["nt", "{1, 2}"]), (["/application/nt/x=3"], ["/application/nt"]),
                            ({"nt": float("inf")}, ["nt", "inf"]), ({"nt": lambda: 3}, ["nt", "lambda"]), ([3], ["[3]"])):
        yield lambda s=settings: run(LU, s), words
    for name, values in {"replicas": [0, -2, 1.5, "many"], "interval": [0, 1, 95, "wide"], "jobs": [0, "all"], "series": [-1, "yes"],
                         "trace": ["yes", 1], "scheduler": [3, [], "dmdass", {"type": "dmdass"}, {"type": 3}, object, int]}.items():
        for value in values:
            yield lambda n=name, v=value: run(LU, **{n: v}), [name]
    for scenario in (3, None, ["lu"], "no_such.json", Path("no_such.json"), {}, {3: 4}, {"platform": "mirage"}):
        yield lambda s=scenario: run(s), ["no_such.json"] if "no_such" in str(scenario) else ["scenario"]
    for owners, words in ((np.full((4, 4), 7), ["[0, 0] is 7"]), (np.full((4, 4), 0.5), ["float64"]), (np.zeros((2, 2), int), ["distribution"]),
                          ([0, 0], ["1 dimension"]), (np.zeros((1, 2, 3), int), ["3 dimensions"]), ([[0, 1], [0]], ["lengths"]), ([["a"]], ["type"])):
        yield lambda o=owners: run({**LU, "distribution": o}), ["distribution", *words]
    graph = flow().finish()
    for value, words in ((graph, ["platform"]), ({**LU, "distribution": graph}, ["distribution"])):
        yield (lambda v=value: run({**LU, "platform": v} if v is graph else v)), words
    for owners, words in (([1], ["[0] is 1"]), ([0, 0], ["2 numbers"]), ([0.5], ["float64"]), ([-2], ["-2"])):
        yield lambda o=owners: run({**LU, "application": {"type": "graph", "file": graph, "nb": 960}, "distribution": o}), ["distribution", *words]
    for arguments, words in (
        ({"platform": "miarge"}, ["miarge"]), ({"platform": 3}, ["3"]), ({"platform": {"nodes": []}}, ["platform"]), ({"owners": [0, 0]}, ["2 numbers"]), ({"owners": [[5]]}, ["[0, 0] is 5"]),
        ({"owners": [0.5]}, ["float64"]), ({"owners": np.zeros((1, 1, 1), int)}, ["3 dimensions"]), ({"kernels": {"Gemm": 1}}, ["Gemm"]), ({"kernels": {"gemm": {"gpu": 1}}}, ["gpu"]),
        ({"kernels": {"gemm": -1}}, ["-1"]), ({"kernels": {"gemm": "long"}}, ["long"]), ({"kernels": {"gemm": float("nan")}}, ["nan"]), ({"kernels": 3}, ["3"]), ({"kernels": {"knot": {"gemm": 1}, "node": {}}}, ["knot"]),
        ({"nb": 0}, ["nb", "0"]), ({"nb": "x"}, ["nb", "x"]), ({"precision": "quarter"}, ["quarter"]), ({"scheduler": "no policy"}, ["no policy"]), ({"network": "no network"}, ["no network"]),
        ({"seed": -1}, ["seed", "-1"]), ({"name": 3}, ["name", "3"]), ({"replicas": 0}, ["replicas", "0"]), ({"graph": 3}, ["graph", "3"]), ({"graph": flow()}, ["TaskFlow"])):
        yield lambda a=arguments: short(**{"graph": graph, "platform": CLUSTER, "kernels": {"gemm": 1.0}, **a}), words
    for name, given, words in (
        ("add_kernel", (3,), ["3"]), ("add_kernel", ("gemm",), ["gemm"]), ("add_kernel", ("a", -1), ["-1"]), ("add_kernel", ("a", float("nan")), ["nan"]), ("add_kernel", ("a", "fast"), ["fast"]),
        ("add_handle", (-1,), ["-1"]), ("add_handle", (8e6,), ["8000000.0"]), ("add_handle", (2**60,), [str(2**60)]), ("add_handle", (8, -2), ["-2"]), ("add_handle", (8, 0, 0, 10**7), ["10000000"]), ("add_handle", ("8",), ["8"]),
        ("submit", ("gemm",), ["gemm"]), ("submit", (7,), ["7"]), ("submit", (-1,), ["-1"]), ("submit", (0, 0), ["0"]), ("submit", (0, (5, "r")), ["5"]), ("submit", (0, (0, "x")), ["x"]), ("submit", (0, (0, "r", 3)), ["3"]), ("submit", (0, ("tile", "r")), ["tile"]),
        ("wont_use", (7,), ["7"]), ("wont_use", ("x",), ["x"]), ("flush_inputs", (7,), ["7"]), ("flush_inputs", (-1,), ["-1"])):
        yield lambda n=name, g=given: getattr(flow(), n)(*g), words
    for named, words in (({"seconds": -1}, ["-1"]), ({"seconds": {"gpu": 1}}, ["gpu"]), ({"seconds": "x"}, ["x"]), ({"seconds": {"cuda": float("inf")}}, ["inf"]), ({"seconds": {"cpu": "x"}}, ["x"]), ({"after": [7]}, ["7"]),
                         ({"after": [(0, -4)]}, ["negative"]), ({"after": ["first"]}, ["first"]), ({"after": 0}, ["after"]), ({"priority": 1.5}, ["1.5"]), ({"k": -2}, ["-2"]), ({"flops": -1}, ["-1"]), ({"node": -5}, ["-5"]), ({"nod": 1}, ["nod"])):
        yield lambda n=named: flow().submit(0, **n), words
    yield lambda: factosim.TaskFlow().finish(), ["tasks"]
    yield lambda: graph.with_owners([0, 0]), ["owners"]
    yield lambda: graph.save(FIRST), [str(FIRST)]
    yield lambda: factosim.read_graph(Path(folder) / "none"), ["none"]
    yield lambda: factosim.read_graph(FIRST), [str(FIRST)]
    yield lambda: factosim.read_graph(FIRST, "jsonl"), ["jsonl"]
    yield lambda: factosim.read_graph(FIRST, time_unit_s=0), ["0 s"]
    for nodes, words in ((0, ["0"]), (-1, ["-1"]), (1.5, ["1.5"]), ("four", ["four"]), ({"mirage": 0}, ["0"]), ({"miarge": 2}, ["miarge", "mirage"]), ([{"typ": "mirage"}], ["None"]), (True, ["True"])):
        yield lambda n=nodes: factosim.platform("mirage", nodes=n), ["nodes", *words]
    yield lambda: factosim.platform("lille", nodes=4), ["chetemi"]
    yield lambda: factosim.platform("mirage").set_duration("mirage", "gemm", "cpu", 0, 1, "double"), ["gemm"]
    yield lambda: factosim.platform("mirage").set_duration("mirage", "gemm", "cuda7", 1, 1, "double"), ["cuda7"]
    for grid, words in (({"nt": "45"}, ["45"]), ({"nt": 4}, ["4"]), ("nt", ["nt"]), (3, ["3"]), ([3], ["3"]), ({"ntt": [3]}, ["ntt"]), ({"nt": [0]}, ["nt"])):
        for out in (None, "sweep"):
            yield lambda g=grid, o=out: factosim.sweep(LU, g, out=o and Path(folder) / o, progress=False), words
    for named, words in (({"errors": "ignore"}, ["ignore"]), ({"processes": 0}, ["0"]), ({"resume": True}, ["out"]), ({"engine": "slurm"}, ["out"]), ({"out": "x", "engine": "pbs"}, ["pbs"])):
        yield lambda n=named: factosim.sweep(LU, {"nt": [3]}, **n), words
    yield lambda: factosim.sweep(lambda nt: nt, {"nt": [3]}, out=Path(folder) / "sweep"), ["function"]
    done = run(LU)
    for given, words in (((done, "worker"), ["worker", "workers"]), ((done,), ["panels"]), ((3, "nodes"), ["3"]), (("nodes",), ["runs"]), ((FIRST.parent, "nodes"), ["first"]), ((done, "map", "nodes"), ["map"])):
        yield lambda g=given: factosim.figure(*g), words
    for named, words in (({"size": "x"}, ["size", "x"]), ({"font_size": 1}, ["font_size", "1"]), ({"palette": "pink"}, ["pink"]), ({"x_range": "5"}, ["5"]), ({"x_range": (3, 1)}, ["3:1"]), ({"log": "z"}, ["log", "z"])):
        yield lambda n=named: factosim.figure(done, "workers", **n), words
    yield lambda: factosim.figure(done, "workers").save(Path(folder) / "figure.txt"), ["figure.txt"]
    yield lambda: factosim.report(), ["0 runs"]
    yield lambda: factosim.report(done, 3), ["3"]
    yield lambda: factosim.report(Path(folder) / "none"), ["none"]
    yield lambda: done.save(FIRST.parent), ["first"]
    yield lambda: done.series, ["series"]
    yield lambda: done.interval, ["replicas"]
    yield lambda: factosim.compare(done, Path(folder) / "none"), ["none"]
    yield lambda: factosim.compare(done, 3), ["3"]
    yield lambda: factosim.check(Path(folder) / "none"), ["none"]
    yield lambda: factosim.open_run(Path(folder) / "none"), ["none"]
    yield lambda: factosim.open_sweep(folder), [folder]
    yield lambda: factosim.load(Path(folder) / "none"), ["none"]
    yield lambda: factosim.load(__file__), ["mistakes_test"]
    for named, words in (({"objective": "fast"}, ["fast"]), ({"runs": 0}, ["0"]), ({"distributions": ["block"]}, ["block"]), ({"schedulers": ["dmdass"]}, ["dmdass"]), ({"tile_sizes": [0]}, ["0"]), ({"ntt": 3}, ["ntt"])):
        yield lambda n=named: factosim.advise(LU, **n), words
    yield lambda: factosim.advise({**LU, "scheduler": Eager}), ["class"]
    yield lambda: factosim.schedule(LU, runs=-1), ["runs", "-1"]
    yield lambda: factosim.bounds({**LU, "platform": "miarge"}), ["miarge"]
    yield lambda: factosim.distribute(LU, nt=0), ["nt"]
    yield lambda: factosim.list_of("platform"), ["platform"]
    yield lambda: factosim.calibrate(Path(folder) / "none", out=Path(folder) / "o.json"), ["none"]
    yield lambda: factosim.calibrate(machine=True, tiles=[0], out=Path(folder) / "o.json"), ["0"]


class Mistakes(unittest.TestCase):
    def test_every_one_is_an_input_error_that_names_what_was_written(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, (call, words) in enumerate(mistakes(folder)):
                with self.subTest(number=number, words=words):
                    with self.assertRaises(factosim.InputError) as caught:
                        call()
                    message = str(caught.exception)
                    for word in words:
                        self.assertIn(word, message)
                    self.assertNotIn("/tmp/factosim-", message)
                    self.assertNotRegex(message, r"(^|[ (])--[a-z]")
                count += 1
            self.assertEqual(os.listdir(folder), [])
        self.assertGreaterEqual(count, 240)


if __name__ == "__main__":
    unittest.main()
