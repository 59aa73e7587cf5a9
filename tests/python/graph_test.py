"""Task graphs built in Python: the example of the C++ interface gives its result to the last digit."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import factosim
from own_graph import NB, cholesky, cluster, durations, simulate
from surroundings import OWN_GRAPH, ROOT


def on_data(count, mode):
    """Tasks of one kernel, gemm, each on its own datum."""
    flow = factosim.TaskFlow()
    kernel = flow.add_kernel("gemm")
    for m in range(count):
        flow.submit(kernel, (flow.add_handle(1000, m=m), mode))
    return flow.finish()


class OwnGraph(unittest.TestCase):
    def test_the_example_in_python_is_that_in_cpp_to_the_last_digit(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([OWN_GRAPH, folder + "/run"], check=True, capture_output=True)
            expected = json.loads((Path(folder) / "run/result.json").read_text())
            trace = factosim.Trace(Path(folder) / "run/run.trace")
        run = simulate()
        self.assertEqual(run.makespan_s, expected["makespan_s"])
        for key in ("name", "bounds", "nodes", "tasks_by_kernel", "tiles_sent"):
            self.assertEqual(run.result[key], expected[key])
        self.assertEqual(list(run.trace.columns), list(trace.columns))
        for name, column in trace.columns.items():
            if name == "task.footprint":
                continue  # by the tile size, which C++ was not told
            self.assertEqual(run.trace.columns[name].tobytes(), column.tobytes(), name)

    def test_the_example_as_a_graph_file_is_that_in_python_to_the_last_digit(self):
        page = (ROOT / "scenarios/guide/extend.md").read_text()
        with tempfile.TemporaryDirectory() as folder:
            for name in ("cholesky.py", "graph.json", "two_nodes.json"):
                block = re.search(rf"<!-- file: {name} -->\n```\w+\n(.*?)```", page, re.S)
                (Path(folder) / name).write_text(block.group(1))
            lines = subprocess.run([sys.executable, "cholesky.py"], check=True, capture_output=True, cwd=folder).stdout
            (Path(folder) / "cholesky.jsonl").write_bytes(lines)
            self.assertEqual(factosim.run(folder + "/graph.json").makespan_s, simulate().makespan_s)

    def test_owners_by_tile_and_by_handle_are_the_same(self):
        graph = cholesky()
        by_handle = [m % 2 for m in range(8) for n in range(m + 1)]
        run = factosim.simulate_graph(graph, cluster(), by_handle, kernels=durations(), nb=NB, scheduler="lws",
                                      network="maxmin")
        self.assertEqual(run.makespan_s, simulate().makespan_s)

    def test_durations_have_three_forms(self):
        graph = cholesky()
        by_worker = {kernel: {"cpu": seconds} for kernel, seconds in durations().items()}
        for kernels in (durations(), by_worker, {"node": durations()}):
            run = factosim.simulate_graph(graph, cluster(), kernels=kernels)
            self.assertEqual(run.result["nodes"][0]["tasks"], 120)

    def test_a_graph_runs_on_a_shipped_machine_with_its_kernel_files(self):
        flow = factosim.TaskFlow()
        gemm = flow.add_kernel("gemm", 2 * 960.0**3)
        tiles = [flow.add_handle(960 * 960 * 8) for _ in range(4)]
        for tile in tiles:
            flow.submit(gemm, (tile, "rw"))
        run = factosim.simulate_graph(flow.finish(), "mirage", nb=960)
        self.assertEqual(run.result["tasks"], 4)
        self.assertIn("Run", repr(run))

    def test_a_chain_takes_the_sum_of_its_tasks(self):
        flow = factosim.TaskFlow()
        step = flow.add_kernel("step")
        data = flow.add_handle(8)
        for _ in range(10):
            flow.submit(step, (data, "rw"))
        graph = flow.finish()
        np.testing.assert_array_equal(graph.predecessor_count, [0] + [1] * 9)
        run = factosim.simulate_graph(graph, cluster(), kernels={"step": 0.5})
        self.assertAlmostEqual(run.makespan_s, 5, delta=1e-3)  # and the overheads of 10 tasks
        self.assertGreaterEqual(run.makespan_s, 5)

    def test_the_name_cuda_means_every_gpu(self):
        runs = [factosim.simulate_graph(on_data(64, "rw"), "mirage", kernels={"gemm": {"cpu": 0.09, **gpus}}, network="maxmin")
                for gpus in ({"cuda": 0.004}, {f"cuda{g}": 0.004 for g in range(3)})]
        self.assertEqual(runs[0].makespan_s, runs[1].makespan_s)
        self.assertLess(runs[0].makespan_s, 0.1)

    def test_a_task_that_only_reads_runs_where_its_data_are(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("norm")
        data = [flow.add_handle(8, m=m) for m in range(2)]
        flow.submit(kernel, (data[1], "rw"))
        flow.submit(kernel, (data[1], "r"))
        flow.submit(kernel)
        run = factosim.simulate_graph(flow.finish(), cluster(), [0, 1], kernels={"norm": 0.5}, network="maxmin")
        self.assertEqual(run.tasks["node"].tolist(), [1, 1, 0])
        self.assertAlmostEqual(run.makespan_s, 1, delta=1e-3)

    def test_data_of_one_task_on_another_node_are_one_message_which_a_finding_says(self):
        flow = factosim.TaskFlow()
        kernel = flow.add_kernel("step")
        data = [flow.add_handle(1000) for _ in range(3)]
        flow.submit(kernel, (data[0], "w"), (data[1], "w"))
        flow.submit(kernel, (data[0], "r"), (data[1], "r"), (data[2], "w"))
        run = factosim.simulate_graph(flow.finish(), cluster(), [0, 0, 1], kernels={"step": 0.5}, network="maxmin")
        self.assertEqual((run.result["tiles_sent"], run.result["bytes_sent"]), (1, 2000))
        self.assertIn("one message", str(run.result["findings"]))

    def test_arrays_outlive_the_flow_and_cannot_be_written(self):
        priority = cholesky().priority
        self.assertEqual(priority[0], 24)
        with self.assertRaises(ValueError):
            priority[0] = 0


class Mistakes(unittest.TestCase):
    def test_numbers_that_do_not_exist(self):
        flow = factosim.TaskFlow()
        kernel, tile = flow.add_kernel("gemm"), flow.add_handle(8)
        for call in (lambda: flow.submit(1, (tile, "r")), lambda: flow.submit(kernel, (7, "r")),
                     lambda: flow.submit(kernel, (tile, "x")), lambda: flow.submit(kernel, tile),
                     lambda: flow.submit(kernel, (-1, "r")), lambda: flow.submit(kernel, ("gemm", "r")),
                     lambda: flow.add_kernel("gemm"), lambda: flow.add_kernel("a", -1), lambda: flow.add_kernel("b", float("nan")),
                     lambda: flow.wont_use(tile), lambda: flow.flush_inputs(0), lambda: flow.add_handle(-1)):
            self.assertRaises(factosim.InputError, call)

    def test_more_kernels_than_a_graph_can_number(self):
        flow = factosim.TaskFlow()
        with self.assertRaisesRegex(factosim.InputError, "more than 65535"):
            for number in range(1 << 17):
                flow.add_kernel(f"k{number}")

    def test_messages_name_what_was_written(self):
        graph = on_data(4, "rw")
        for owners, kernels, message in (
            ([0, 0, 0.5, 0], {"gemm": 1}, "owners#: has numbers of type float64"),
            ([0, 0, 2**32, 0], {"gemm": 1}, "owners#: [2] is 4294967296 (nodes are numbered from 0 to 1)"),
            ([0, 0, -1, 0], {"gemm": 1}, "owners#: [2] is -1"),
            (None, {"gemm": 1, "Gemm": 1}, 'kernels#: "Gemm" is no kernel of the graph (there are gemm). Did you mean "gemm"?'),
            (None, {"gemm": {"gpu": 1}}, 'kernels#/gemm: "gpu" is no worker of the nodes'),
            (None, {"gemm": {"cpu": 1, "cuda": 1}}, 'kernels#/gemm: "cuda" is no worker of the nodes'),
            (None, {"node": {"gemm": 1}, "knot": {"gemm": 1}}, 'kernels#: "knot" is no node type of the platform'),
        ):
            with self.subTest(message), self.assertRaises(factosim.InputError) as caught:
                factosim.simulate_graph(graph, cluster(), owners, kernels=kernels)
            self.assertIn(message, str(caught.exception))

    def test_wrong_platforms_owners_and_names(self):
        graph = cholesky()
        for arguments, options in (
            (("no platform",), {}),
            ((cluster(), [0]), {}),
            ((cluster(), [[0]]), {}),
            ((cluster(), np.full((8, 8), 5)), {}),
            ((cluster(),), {"scheduler": "no policy"}),
            ((cluster(),), {"network": "no network"}),
            ((cluster(),), {"precision": "quarter"}),
            ((cluster(),), {"kernels": {"potrf": 1}}),
            ((cluster(),), {"kernels": {"potrf": -1}}),
        ):
            with self.subTest(str(options)), self.assertRaises(factosim.InputError):
                factosim.simulate_graph(graph, *arguments, **{"kernels": durations(), "nb": NB, **options})


if __name__ == "__main__":
    unittest.main()
