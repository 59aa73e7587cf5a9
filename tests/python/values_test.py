"""Values of scenarios that are Python's: graphs, platforms, arrays, policies; what they are made of, kept as, and recorded as."""

import copy
import functools
import json
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np

import factosim
from policies import Eager
from surroundings import FIRST

try:
    import networkx
except ImportError:
    networkx = None

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 6, "nb": 960}, "network": "maxmin"}


def chain(**changes):
    """Three tasks that wait for each other, with durations of their own and data sent from the second to the third."""
    flow = factosim.TaskFlow()
    step = flow.add_kernel("step", flops=1e9)
    first = flow.submit(step, (flow.add_handle(8), "rw"), seconds=0.1)
    second = flow.submit(step, seconds={"cpu": 0.2, "cuda": 0.05}, after=[first], priority=3)
    flow.submit(step, seconds={"cpu": 0.2}, after=[first, (second, 4096)], **changes)
    return flow.finish()


class Patient(Eager):
    def __init__(self, node, alpha, name="x"):
        super().__init__(node)


class Graphs(unittest.TestCase):
    scenario = {**LU, "application": chain(), "scheduler": "dm"}

    def test_durations_of_tasks_and_edges_count(self):
        run = factosim.run(self.scenario)
        self.assertAlmostEqual(run.makespan_s, 0.1 + 0.05 + 0.2, delta=1e-3)
        self.assertEqual(sorted(zip(*(run.dependencies[k].tolist() for k in ("predecessor", "task")))), [(0, 1), (0, 2), (1, 2)])

    def test_more_kinds_of_durations_than_kernels_can_be(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step")
        for task in range(70000):
            flow.submit(kernel, seconds=1 + task * 1e-6)
        run = factosim.run({**LU, "application": flow.finish()}, trace=False, progress=False)
        self.assertEqual(run.result["tasks"], 70000)

    def test_nodes_and_distributions_by_name_and_by_array(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step", seconds=0.1)
        tiles = [flow.add_handle(8, m, n) for m in range(2) for n in range(2)]
        for tile in tiles:
            flow.submit(kernel, (tile, "rw"))
        scenario = {**LU, "platform": factosim.platform("mirage", nodes=4), "application": flow.finish()}
        for distribution, nodes in (({"type": "block-cyclic", "p": 2, "q": 2}, [0, 1, 2, 3]), ([[3, 2], [1, 0]], [3, 2, 1, 0]),
                                    (np.array([1, 1, 2, 3]), [1, 1, 2, 3]), ([0, 0, 0, 0], [0, 0, 0, 0])):
            run = factosim.run({**scenario, "distribution": distribution})
            self.assertEqual(run.tasks["node"].tolist(), nodes)

    def test_the_short_form_is_a_run(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("gemm")
        flow.submit(kernel, (flow.add_handle(960 * 960 * 8), "rw"))
        graph = flow.finish()
        short = factosim.simulate_graph(graph, "mirage", nb=960, scheduler={"type": "dmdas", "alpha": 2}, network="maxmin")
        whole = factosim.run({**LU, "application": {"type": "graph", "file": graph, "nb": 960}, "scheduler": {"type": "dmdas", "alpha": 2}})
        self.assertEqual(short.makespan_s, whole.makespan_s)
        self.assertEqual(short.result["provenance"]["options"]["scheduler"]["alpha"], 2)

    def test_graphs_flows_and_clusters_are_pickled_and_copied(self):
        expected = factosim.run(self.scenario).makespan_s
        graph = pickle.loads(pickle.dumps(self.scenario["application"]))
        self.assertEqual(factosim.run({**self.scenario, "application": graph}).makespan_s, expected)
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("a", 2.0, seconds={"cpu": 1.0}, timing="b", on_spare_workers=False)
        tile = flow.add_handle(8, 1, 2, owner=0)
        flow.begin_phase("one")
        flow.submit(kernel, (tile, "w"), priority=-1, k=1, m=2, n=3, flops=5.0, node=0)
        flow.wont_use(tile)
        flow.barrier()
        flow.submit(kernel, (tile, "rw"), after=[0, (0, 9)], seconds=2.0)
        flow.flush_inputs(1)
        flow.flush_cache()
        other = copy.deepcopy(flow)
        for one in (flow, other):
            one.submit(kernel, (tile, "r"))
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("a.jsonl", "b.jsonl")]
            for one, file in zip((flow, other), files):
                one.finish().save(file)
            self.assertEqual(files[0].read_text(), files[1].read_text())
        cluster = factosim.platform("mirage", nodes=2)
        cluster.set_duration("mirage", "step", "cpu", 3.0, 1, "double")
        self.assertEqual(pickle.loads(pickle.dumps(cluster)).__dict__, cluster.__dict__)

    def test_graphs_are_saved_and_read_in_every_format(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graph.jsonl"
            graph = self.scenario["application"]
            graph.save(file)
            with self.assertRaisesRegex(factosim.InputError, "exists already"):
                graph.save(file)
            self.assertEqual(len(factosim.read_graph(file)), 3)
            (Path(folder) / "g.stg").write_text("3\n0 0 0\n1 2 1 0\n2 3 1 1\n3 1 1 2\n4 0 1 3\n")
            read = factosim.read_graph(Path(folder) / "g.stg", time_unit_s=0.5)
            self.assertEqual((len(read), read.has_durations), (5, True))
            self.assertAlmostEqual(factosim.run({**LU, "application": read}).makespan_s, 3, delta=1e-3)

    def test_kernels_without_operations_last_those_of_their_names_where_the_platform_has_rates(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "g.jsonl"
            spent = []
            for flops in ({}, {"flops": 2 * 960 ** 3}):
                file.write_text("\n".join(map(json.dumps, [{"format": "factosim-graph", "version": 1, "nb": 960}, {"kernel": "gemm", **flops}, {"task": 1, "kernel": "gemm"}])) + "\n")
                chetemi = {"platform": {"file": "lille", "nodes": [{"type": "chetemi", "count": 1}]}, "application": {"type": "graph", "file": str(file)}}
                spent.append(factosim.run({**chetemi, "network": "maxmin"}).makespan_s)
            self.assertGreater(spent[0], 2 * 960 ** 3 / 35.2e9)  # the peak of a core
            self.assertEqual(*spent)

    def test_tasks_of_no_time_are_saved_beside_times_on_gpus_only(self):
        with tempfile.TemporaryDirectory() as folder:
            file, saved = Path(folder) / "g.jsonl", Path(folder) / "saved.jsonl"
            for first in ({"cuda_s": 0.5}, {"cpu_s": 0}):
                file.write_text(json.dumps({"task": 1, "kernel": "a", **first}) + "\n" + json.dumps({"task": 2, "kernel": "b", "cpu_s": 0}) + "\n")
                factosim.read_graph(file).save(saved, force=True)
                self.assertEqual([json.loads(line).get("cpu_s") for line in saved.read_text().splitlines() if '"task"' in line][1], 0)

    @unittest.skipIf(networkx is None, "needs networkx")
    def test_networkx_gives_and_takes_graphs(self):
        graph = networkx.DiGraph()
        graph.add_node("b", kernel="work", seconds=0.2, color="red")
        graph.add_node("a", kernel="work", seconds={"cpu": 0.1, "cuda": 0.1}, priority=2)
        graph.add_edge("a", "b", bytes=4096)
        with self.assertWarnsRegex(UserWarning, "do not count: color"):
            made = factosim.from_networkx(graph)
        self.assertAlmostEqual(factosim.run({**LU, "application": made}).makespan_s, 0.3, delta=1e-3)
        back = factosim.to_networkx(made)
        self.assertEqual([d["seconds"]["cpu"] for _, d in sorted(back.nodes(data=True))], [0.1, 0.2])
        self.assertEqual(list(back.edges(data="bytes")), [(0, 1, 4096)])
        self.assertEqual(factosim.run({**LU, "application": factosim.from_networkx(back)}).makespan_s,
                         factosim.run({**LU, "application": made}).makespan_s)
        graph.add_edge("b", "a")
        with self.assertRaisesRegex(factosim.InputError, "without cycles"):
            factosim.from_networkx(graph)


class Platforms(unittest.TestCase):
    def test_any_number_of_nodes(self):
        cluster = factosim.platform("lille", nodes={"chetemi": 3, "chifflet": 1})
        self.assertEqual(cluster.node_count, 4)
        run = factosim.run({**LU, "platform": cluster, "distribution": "1d1d"})
        self.assertEqual([node["type"] for node in run.result["nodes"]], ["chetemi"] * 3 + ["chifflet"])
        self.assertEqual(repr(factosim.platform("mirage", nodes=4)), "<factosim.Cluster: 4 mirage>")

    def test_names_have_a_did_you_mean(self):
        for call in (lambda: factosim.read_cluster("miarge"), lambda: factosim.platform("miarge")):
            with self.assertRaisesRegex(factosim.InputError, 'Did you mean "mirage"'):
                call()
        with self.assertRaisesRegex(factosim.InputError, 'nodes#: "chetmi" is no node type .* Did you mean "chetemi"'):
            factosim.platform("lille", nodes={"chetmi": 3})


class Policies(unittest.TestCase):
    def test_parameters_are_recorded(self):
        for policy, options in (({"type": Patient, "alpha": 3}, {"type": "Patient", "alpha": 3}),
                                (functools.partial(Patient, alpha=np.float64(2), name="y"), {"type": "Patient", "alpha": 2.0, "name": "y"}),
                                (Eager, {"type": "Eager"})):
            runs = [factosim.run({**LU, "scheduler": policy}), factosim.run(LU, scheduler=policy), factosim.run(LU, {"scheduler": policy})]
            for run in runs:
                self.assertEqual(run.result["provenance"]["options"]["scheduler"], options)
                self.assertEqual(run.makespan_s, runs[0].makespan_s)
        with self.assertRaisesRegex(factosim.InputError, "<scenario>#/scheduler: Patient cannot be made .*alpa"):
            factosim.run({**LU, "scheduler": {"type": Patient, "alpa": 3}})
        with self.assertRaisesRegex(factosim.InputError, "is for a named policy"):
            factosim.run({**LU, "scheduler": Eager}, {"/scheduler/alpha": 3})

    def test_sweeps_take_classes(self):
        table = factosim.sweep(LU, {"/scheduler/type": ["dm", Eager], "nt": [3, 4]})
        self.assertEqual(table["/scheduler/type"].tolist(), ["dm", "dm", "Eager", "Eager"])
        self.assertEqual(table["makespan_s"][3], factosim.run(LU, nt=4, scheduler=Eager).makespan_s)


class Replicas(unittest.TestCase):
    noisy = {**LU, "noise": "lognormal"}

    def test_the_spread_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "s.json").write_text(json.dumps({"platform": "mirage", "application": LU["application"],
                                                             "network": {"model": "maxmin"}, "noise": "lognormal"}))
            from factosim._program import call_json
            expected = call_json("run", Path(folder) / "s.json", "--replicas=5", "--interval=0.9")["replicas"]
        run = factosim.run(self.noisy, replicas=5, interval=0.9)
        self.assertEqual(run.replicas, expected)
        low, high = run.interval
        self.assertTrue(low < run.replicas["makespan_s"]["mean"] < high)
        self.assertIn("90 % prediction interval", run.summary())

    def test_policies_in_python_have_replicas_and_equal_ones_warn(self):
        self.assertEqual(len(factosim.run({**self.noisy, "scheduler": Eager}, replicas=3).replicas["makespan_s"]["values"]), 3)
        with self.assertWarnsRegex(UserWarning, "all 2 replicas are the same"):
            factosim.run(LU, replicas=2)
        with self.assertRaisesRegex(factosim.InputError, "has no replicas"):
            factosim.run(FIRST, nt=3).interval
        table = factosim.sweep(self.noisy, {"nt": [3, 4]}, replicas=3)
        self.assertTrue(np.all(table["makespan_ci95_low_s"] < table["makespan_mean_s"]))


if __name__ == "__main__":
    unittest.main()
