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


class OwnGraph(unittest.TestCase):
    def test_the_example_in_python_is_that_in_cpp_to_the_last_digit(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([OWN_GRAPH, folder + "/run"], check=True, capture_output=True)
            expected = json.loads((Path(folder) / "run/result.json").read_text())
            trace = (Path(folder) / "run/run.trace").read_bytes()
        run = simulate()
        self.assertEqual(run.makespan_s, expected["makespan_s"])
        for key in ("name", "bounds", "nodes", "tasks_by_kernel", "tiles_sent"):
            self.assertEqual(run.result[key], expected[key])
        self.assertEqual((run.folder / "run.trace").read_bytes(), trace)

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
                     lambda: flow.wont_use(tile), lambda: flow.flush_inputs(0), lambda: flow.add_handle(-1)):
            self.assertRaises(factosim.InputError, call)

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
