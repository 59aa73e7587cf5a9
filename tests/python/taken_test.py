"""Right values of every kind are taken; wrong ones of a graph are errors that name them; graphs are compared, saved and shown."""

import itertools
import json
import subprocess
import tempfile
import unittest
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np

import factosim
from policies import Eager
from surroundings import PROGRAM

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, "network": "maxmin"}


def tasks(count=4, **given):
    """Returns a graph of tasks on data of their own."""
    flow = factosim.TaskFlow()
    kernel = flow.add_kernel("step", seconds=given.pop("of_kernel", None))
    for _ in range(count):
        flow.submit(kernel, (flow.add_handle(8), "rw"), **given)
    return flow.finish()


def makespan(graph, **changes):
    return factosim.run({**LU, "application": graph, **changes}).makespan_s


class Taken(unittest.TestCase):
    def test_numbers_of_every_type_are_durations_and_operations(self):
        for one in (1, 1.0, np.float64(1), np.float32(1), np.int64(1), np.uint8(1)):
            with self.subTest(repr(one)):
                for given in ({"of_kernel": one}, {"of_kernel": {"cpu": one}}, {"seconds": one}, {"seconds": {"cpu": one}}):
                    self.assertAlmostEqual(makespan(tasks(**given)), 1, delta=1e-3)
                flow = factosim.TaskFlow()
                kernel = flow.add_kernel("step", one)
                flow.submit(kernel, flops=one)
                self.assertEqual(len(flow.finish()), 1)

    def test_whole_numbers_of_every_type_are_sizes_and_indices(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step")
        handle = flow.add_handle(np.int64(8), m=np.int32(1), n=np.uint8(2), owner=np.int16(0))
        flow.submit(np.int64(kernel), [np.int64(handle), "rw"], priority=np.int64(3), k=np.int8(1), m=1, n=2, node=np.int64(0))
        flow.submit(kernel, after=[np.int64(0), (np.int64(0), np.int64(4096))])
        graph = flow.finish()
        self.assertEqual((graph.handles.tolist()[0], graph.priority.tolist()), ([8, 1, 2, 0], [3, 0]))

    def test_numbers_are_not_cut_off(self):
        for half in (8.5, np.float32(8.5), Fraction(17, 2)):
            flow = factosim.TaskFlow()
            kernel, handle = flow.add_kernel("step"), flow.add_handle(8)
            for name, call in (("bytes", lambda: flow.add_handle(half)), ("m", lambda: flow.add_handle(8, m=half)),
                               ("priority", lambda: flow.submit(kernel, priority=half)), ("node", lambda: flow.submit(kernel, node=half)),
                               ("n", lambda: flow.submit(kernel, n=half)), ("kernel", lambda: flow.submit(half)),
                               ("after", lambda: flow.submit(kernel, after=[half])), ("accesses", lambda: flow.submit(kernel, (half, "r"))),
                               ("handle", lambda: flow.wont_use(half)), ("task", lambda: flow.flush_inputs(half))):
                with self.subTest(f"{name}={half!r}"), self.assertRaisesRegex(factosim.InputError, name):
                    call()

    def test_wrong_arguments_name_the_parameter_and_what_was_written(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step")
        for call, message in (
            (lambda: flow.submit("step"), "kernel#: is 'step', a str. Give a whole number"),
            (lambda: flow.submit(kernel, seconds="1"), "seconds#: is '1', a str"),
            (lambda: flow.submit(kernel, seconds={"cuda": "3"}), "seconds#/cuda: is '3', a str. Give a number"),
            (lambda: flow.submit(kernel, seconds={0: 3.0}), "seconds#/0: is 0, an int. Give a text"),
            (lambda: flow.submit(kernel, after="0"), "after#: is '0', a str. Give a list"),
            (lambda: flow.submit(kernel, priority=2**40), "priority#: is 1099511627776 (it has 32 bits)"),
            (lambda: flow.submit(kernel, prio=3), "'prio' (its parameters are kernel, accesses, priority"),
            (lambda: flow.submit(), "missing a required argument: 'kernel'"),
            (lambda: flow.add_kernel("x", float("nan")), "flops#: is nan"),
            (lambda: flow.add_kernel(""), "name#: is ''"),
            (lambda: flow.add_kernel(b"x"), "name#: is b'x'"),
            (lambda: flow.add_kernel("a\0b"), "name#: is 'a\\x00b'"),
            (lambda: flow.begin_phase(3), "name#: is 3"),
            (lambda: flow.add_handle("8 MB"), "bytes#: is '8 MB'"),
        ):
            with self.subTest(message), self.assertRaises(factosim.InputError) as caught:
                call()
            self.assertIn(message, str(caught.exception))

    def test_durations_of_gpus_that_no_node_has_are_errors(self):
        for worker in ("cuda", "cuda0", "cuda2"):
            makespan(tasks(seconds={"cpu": 0.09, worker: 0.004}))
        for given, others in itertools.product(("of_kernel", "seconds"), ({}, {"cuda": 0.004}, {"cuda1": 0.004})):
            with self.assertRaisesRegex(factosim.InputError, r'<graph>#: has durations of "step" on cuda7 \(the nodes have 3 GPUs'):
                makespan(tasks(**{given: {"cpu": 0.09, **others, "cuda7": 0.004}}))


class Graphs(unittest.TestCase):
    def test_graphs_are_compared(self):
        a, b = tasks(4, of_kernel=0.1), tasks(5, of_kernel=0.2)
        comparison = factosim.compare(a, b, tolerance="tasks=1%")
        self.assertEqual((comparison.result["a"]["tasks"], comparison.result["b"]["tasks"]), (4, 5))
        self.assertEqual((comparison.kernels["tasks_a"].tolist(), comparison.kernels["mean_s_b"].tolist()), ([4], [0.2]))
        self.assertFalse(comparison.result["tolerance"]["ok"])
        self.assertIn(f"A  {a!r}\nB  {b!r}\n", str(comparison))
        self.assertNotIn("/tmp", str(comparison) + json.dumps(comparison.result))
        self.assertIn("No difference in 4 tasks", str(factosim.compare(a, tasks(4, of_kernel=0.1))))
        with self.assertRaisesRegex(factosim.InputError, "is of graphs"):
            _ = comparison.difference_s
        with self.assertRaisesRegex(factosim.InputError, "is no graph, but the other one is"):
            factosim.compare(a, factosim.run(LU))
        with tempfile.TemporaryDirectory() as folder:
            a.save(Path(folder) / "a.jsonl")
            self.assertIn("No difference", str(factosim.compare(a, Path(folder) / "a.jsonl")))

    def test_what_a_policy_sees_is_saved_without_durations(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step")
        for seconds in (0.1, 0.2, 0.4):
            flow.submit(kernel, (flow.add_handle(8), "rw"), seconds=seconds)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "seen.jsonl"

            class Saves(Eager):
                def __init__(self, node):
                    super().__init__(node)
                    node.graph.save(file)

            run = factosim.run({**LU, "application": flow.finish()}, scheduler=Saves)
            seen = factosim.read_graph(file)
            self.assertEqual((len(seen), seen.has_durations, run.result["tasks"]), (3, False, 3))

    def test_large_maps_are_recorded_and_run_again(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step", seconds=0.1)
        for at in (0, 249):
            flow.submit(kernel, (flow.add_handle(8, at, at), "rw"))
        owners = np.indices((250, 250)).sum(0) // 2 % 2
        run = factosim.run({**LU, "platform": factosim.platform("mirage", nodes=2), "application": flow.finish(), "distribution": owners})
        recorded = run.result["provenance"]["python"]["scenario"]
        self.assertEqual(recorded["distribution"], owners.tolist())
        again = factosim.run({**recorded, "application": {"type": "lu", "nt": 250, "nb": 960}}, {"/application/nt": 3, "/distribution": owners[:3, :3]})
        self.assertEqual(again.result["tasks"], 14)


class Shown(unittest.TestCase):
    def test_pages_and_figures_say_what_they_are(self):
        run = factosim.run(LU)
        self.assertRegex(repr(run.report()), r"^<factosim.Page: \d+ kB>$")
        self.assertEqual(repr(run.figure("workers", "ready")), "<factosim.Figure: workers, ready>")


class Said(unittest.TestCase):
    def test_warnings_point_at_the_line_of_the_caller(self):
        noisy = {**LU, "noise": "none"}
        with warnings.catch_warnings(record=True) as caught, tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("always")
            factosim.run(noisy, replicas=2)
            run = factosim.run(LU).save(Path(folder) / "run")
            (run / "result.json").write_text((run / "result.json").read_text().replace('"tasks": 30', '"tasks": 31'))
            factosim.report(run)
            run = factosim.run(LU).save(Path(folder) / "other")
        self.assertEqual([w.filename for w in caught], [__file__] * len(caught))
        self.assertGreaterEqual(len(caught), 2)

    def test_findings_name_their_machine_once(self):
        with tempfile.TemporaryDirectory() as folder:
            kernels = {"format": "factosim-kernels", "version": 1, "machine": "mine", "provenance": "made up", "estimate": False,
                       "findings": ["mine: double gemm of tile 960: only 3 samples", "measured twice"],
                       "kernels": {name: [{"precision": "double", "worker": "cpu", "nb": 960, "mean_s": 0.1, "samples": 9, "findings": [0, 1]}]
                                   for name in ("getrf", "trsm_ll", "trsm_ru", "gemm")}}
            (Path(folder) / "k.json").write_text(json.dumps(kernels))
            platform = {"node_types": {"mine": {"cores": 4, "gpus": [], "ram_bytes": "64 GB", "kernels": f"{folder}/k.json",
                                                "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}}},
                        "network": {}, "nodes": [{"type": "mine", "count": 1}]}
            findings = factosim.run({**LU, "platform": platform}).result["findings"]
        self.assertEqual(findings[:2], ["mine: double gemm of tile 960: only 3 samples", "mine: measured twice"])


class Estimates(unittest.TestCase):
    """ESTIMATE is of what the run used."""

    def estimate(self, network="constant", **changes):
        run = factosim.run({**LU, "platform": self.platform(), **changes})
        self.assertEqual("ESTIMATE" in run.summary(), run.result["estimate"])
        self.assertEqual([c for c in factosim.check(run)["checks"] if c["findings"]], [])
        return run.result["estimate"]

    def platform(self, nodes=2, **changes):
        document = factosim.platform("mirage", nodes=nodes).document
        return {**document, "nodes": [{"type": "mirage", "count": nodes}], **changes}

    def test_a_network_counts_where_something_is_sent(self):
        self.assertFalse(factosim.run({**LU, "platform": self.platform(1)}).result["estimate"])
        self.assertTrue(self.estimate(distribution=[[0, 1, 0, 1]] * 4))
        self.assertFalse(self.estimate(distribution=[[1] * 4] * 4))

    def test_a_machine_counts_that_has_tasks(self):
        document = self.platform()
        document["node_types"]["guess"] = {**document["node_types"]["mirage"], "estimate": True}
        document["nodes"] = [{"type": "mirage", "count": 1}, {"type": "guess", "count": 1}]
        for owner, estimate in ((0, False), (1, True)):
            run = factosim.run({**LU, "platform": document, "distribution": [[owner] * 4] * 4})
            self.assertEqual(run.result["estimate"], estimate)
            self.assertEqual([c for c in factosim.check(run)["checks"] if c["findings"]], [])

    def test_a_card_that_nobody_measured_counts_on_several_nodes(self):
        whole = self.platform()
        whole["node_types"]["mirage"]["nic"] = "ethernet-10g"
        whole["network"] = {}
        for nodes, estimate in ((1, False), (2, True)):
            whole["nodes"] = [{"type": "mirage", "count": nodes}]
            run = factosim.run({**LU, "platform": whole, "distribution": [[0, nodes - 1, 0, nodes - 1]] * 4})
            self.assertEqual(run.result["estimate"], estimate)


class Program(unittest.TestCase):
    """What the program says of runs that it is given in other ways."""

    def said(self, *words, cwd):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=cwd)
        return done.returncode, done.stdout + done.stderr

    def test_a_result_is_named_from_inside_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            factosim.run(LU).save(Path(folder) / "run")
            for words in (("compare", "result.json", "result.json"), ("report", "result.json", "-o", "page.html")):
                self.assertEqual(self.said(*words, cwd=f"{folder}/run")[0], 0, words)

    def test_a_scenario_is_no_run(self):
        with tempfile.TemporaryDirectory() as folder:
            run = factosim.run(LU).save(Path(folder) / "run")
            (run / "s.json").write_text(json.dumps({"format": "factosim-scenario", "version": 1, **LU}))
            for words in (("compare", "s.json", "s.json"), ("report", "s.json", "-o", "page.html"), ("compare", ".", "s.json")):
                code, text = self.said(*words, cwd=run)
                self.assertEqual(code, 2, text)
                self.assertIn('s.json#/format: is "factosim-scenario" (a factosim-result file is expected here)', text)

    def test_one_node_has_no_plot_of_tiles_that_nobody_sends(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "s.json").write_text(json.dumps(LU))
            (Path(folder) / "sweep.json").write_text(json.dumps({"scenario": "s.json", "points": {"/application/nt": [2, 3]}}))
            code, text = self.said("sweep", "sweep.json", "--out", "out", "--report", cwd=folder)
            self.assertEqual(code, 0, text)
            plots = {file.name.partition("_application")[0] for file in (Path(folder) / "out/plots").glob("*.svg")}
            self.assertIn(plots, ({"makespan_s", "gflops", "efficiency"}, set()))  # without matplotlib, none

    def test_a_missing_run_is_named_before_its_panels(self):
        with tempfile.TemporaryDirectory() as folder:
            code, text = self.said("report", "none", "--figure", "makespan_s", "-o", "x.svg", cwd=folder)
            self.assertEqual(code, 2)
            self.assertIn("none#: cannot be read (no such file)", text)


if __name__ == "__main__":
    unittest.main()
