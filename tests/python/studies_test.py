"""What the program finds out, from Python: comparison, advice, schedules, audits, calibration, imports, sweeps with folders."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import factosim
from policies import Eager
from surroundings import FIRST, PROGRAM

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 8, "nb": 960}, "network": "maxmin"}


class Reasons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = factosim.run(LU), factosim.run(LU, scheduler="eager")

    def test_causes_are_a_table_that_adds_up(self):
        comparison = factosim.compare(self.a, self.b)
        self.assertEqual(comparison.difference_s, self.b.makespan_s - self.a.makespan_s)
        self.assertAlmostEqual(comparison.causes["seconds"].sum(), comparison.difference_s)
        self.assertEqual(comparison.main_cause, "order of tasks")
        self.assertEqual(comparison.result["causes"]["known"]["options"], ["/scheduler/type"])
        self.assertIn("A  dmdas", str(comparison))
        self.assertNotIn("factosim-", str(comparison))
        self.assertEqual(set(comparison.kernels["kernel"]), {"getrf", "trsm_ll", "trsm_ru", "gemm"})

    def test_a_changed_key_is_proven_by_simulation(self):
        proof = factosim.compare(self.a, self.b, prove=True).result["proof"]
        self.assertEqual(proof["simulations"], 2)
        [change] = proof["changes"]
        self.assertEqual((change["option"], change["causes"]), ("/scheduler", ["order of tasks"]))
        self.assertAlmostEqual(change["share_s"], self.b.makespan_s - self.a.makespan_s)

    def test_runs_of_one_graph_or_array_differ_in_nothing_else(self):
        graph = factosim.TaskFlow()
        kernel = graph.add_kernel("step", seconds={"cpu": 0.1, "cuda": 0.02})
        for _ in range(30):
            graph.submit(kernel, (graph.add_handle(8), "rw"))
        scenario = {**LU, "application": graph.finish(), "platform": factosim.platform("mirage", nodes=2).document}
        comparison = factosim.compare(factosim.run(scenario), factosim.run(scenario, scheduler=Eager))
        self.assertTrue(all(key.startswith("/scheduler") for key in comparison.result["causes"]["known"]["options"]))

    def test_runs_of_dicts_are_checked(self):
        graph = factosim.TaskFlow()
        graph.submit(graph.add_kernel("step", seconds=0.1), (graph.add_handle(8), "rw"))
        for run in (self.a, factosim.run({**LU, "application": graph.finish()})):
            audit = factosim.check(run)
            self.assertEqual(audit["findings"], 0, [c for c in audit["checks"] if c["findings"]])
            self.assertGreater(len(audit["checks"]), 20)

    def test_a_damaged_run_has_findings(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = factosim.run(FIRST, nt=4, out=Path(folder) / "run")
            result = (kept.folder / "result.json").read_text()
            (kept.folder / "result.json").write_text(result.replace('"tasks": 30', '"tasks": 31'))
            self.assertGreater(factosim.check(kept.folder)["findings"], 0)


class Searches(unittest.TestCase):
    def test_advice_is_a_scenario(self):
        advice = factosim.advise({**LU, "platform": factosim.platform("mirage", nodes=2)}, runs=6, distributions=["block-cyclic", "1d1d"])
        self.assertEqual(factosim.run(advice.scenario).makespan_s, advice.best["makespan_s"])
        self.assertIn("makespan_s", advice.front)
        self.assertIn(advice.certainty, str(advice))
        with self.assertRaisesRegex(factosim.InputError, 'objective#: "fast" is not known'):
            factosim.advise(LU, objective="fast")

    def test_a_schedule_is_found_and_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            found = factosim.schedule(LU, nt=4, runs=5, out=Path(folder) / "found")
            scenario = next((Path(folder) / "found").glob("*scenario*.json"))
            self.assertAlmostEqual(factosim.run(scenario).makespan_s, found["schedule"]["makespan_s"], delta=1e-6)

    def test_what_there_is_to_name(self):
        self.assertIn("mirage", [entry["name"] for entry in factosim.list_of("platforms")])
        self.assertIn("1d1d", [entry["name"] for entry in factosim.list_of("distributions")])
        with self.assertRaisesRegex(factosim.InputError, "platform"):
            factosim.list_of("platform")


class Measurements(unittest.TestCase):
    def test_traces_of_others_are_runs(self):
        run = factosim.run(FIRST, nt=5)
        with tempfile.TemporaryDirectory() as folder:
            for path in (factosim.write_csv(run, Path(folder) / "tasks.csv"), factosim.write_starvz(run, Path(folder) / "starvz")):
                opened = factosim.open_run(path)
                self.assertAlmostEqual(opened.makespan_s, run.makespan_s - run.tasks["start_s"].min(), delta=1e-6)
                self.assertEqual(len(opened.tasks["task"]), 55)
                self.assertEqual(factosim.compare(run, opened).result["format"], "factosim-comparison")
                factosim.figure(opened, "workers")
            with self.assertRaisesRegex(factosim.InputError, "/none#"):
                factosim.open_run(Path(folder) / "none")

    def test_calibration_gives_timings_that_run(self):
        run = factosim.run(FIRST, nt=5)
        with tempfile.TemporaryDirectory() as folder:
            kernels, machine = Path(folder) / "k.json", Path(folder) / "p.json"
            factosim.export(run, Path(folder) / "starpu", "starpu", model_prefix="starpu_dlu_lu_model_")
            factosim.calibrate(Path(folder) / "starpu", out=kernels, platform=machine, name="mine")
            self.assertIn("gemm", json.loads(kernels.read_text())["kernels"])
            with self.assertRaisesRegex(factosim.InputError, "force=True"):
                factosim.calibrate(Path(folder) / "starpu", out=kernels, platform=machine, name="mine")

    def test_a_calibration_with_holes_says_so_in_its_file(self):
        parts = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        if "blas" not in parts.lower():
            self.skipTest("built without BLAS")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "here.json"
            with self.assertWarns(UserWarning):
                factosim.calibrate(machine=True, kernels=["gemm"], tiles=[960], seconds=0.01, name="here", out=file)
            findings = json.loads(file.read_text())["findings"]
        self.assertRegex(" ".join(findings), "dgemm on cpu and tiles of 960: (not measured|[0-9]+ undisturbed samples only)")

    def test_imports_name_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for call in (factosim.import_models, factosim.import_platform, factosim.import_starpu):
                with self.assertRaisesRegex(factosim.InputError, folder):
                    call(folder, Path(folder) / "out.json")
            self.assertEqual(os.listdir(folder), [])


class Sweeps(unittest.TestCase):
    grid = {"nt": [4, 6], "/scheduler/type": ["eager", "dmdas"]}

    def test_a_folder_has_what_the_program_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            table = factosim.sweep(LU, self.grid, out=out, processes=2)
            self.assertEqual(table["makespan_s"].tolist(), factosim.sweep(LU, self.grid)["makespan_s"].tolist())
            self.assertEqual((table["nt"].tolist(), table["error"].tolist()), ([4, 4, 6, 6], [None] * 4))
            factosim.figure(out, "makespan_s", x="application/nt", lines="scheduler/type").save(Path(folder) / "s.svg")
            self.assertIn("makespan_s", factosim.report(out).html)
            with self.assertRaises(factosim.InputError):
                factosim.sweep(LU, self.grid, out=out)
            more = factosim.sweep(LU, {**self.grid, "nt": [4, 6, 7]}, out=out, resume=True)
            self.assertEqual(more["makespan_s"][:4].tolist(), table["makespan_s"].tolist())

    def test_values_of_python_are_in_the_folder_too(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            maps = [np.zeros((8, 8), int), np.indices((8, 8)).sum(0) % 2]
            scenario = {**LU, "platform": factosim.platform("mirage", nodes=2)}
            table = factosim.sweep(scenario, {"distribution": maps}, out=out)
            alone = [factosim.run({**scenario, "distribution": m}).makespan_s for m in maps]
            self.assertEqual(table["makespan_s"].tolist(), alone)

    def test_failing_points_are_raised_or_recorded_and_wrong_ones_leave_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            grid = {"nt": [4, 80]}
            table = factosim.sweep(LU, grid, out=out, errors="record")
            self.assertIsNone(table["error"][0])
            self.assertIn("RAM", table["error"][1])
            with self.assertRaisesRegex(factosim.InfeasibleError, "RAM"):
                factosim.sweep(LU, grid, out=out, resume=True)
            for wrong, words in (({"nt": [0]}, "nt"), ({"ntt": [1]}, '"nt"'), ({"nt": "12"}, "is '12'"), ({"/scheduler/type": [Eager]}, "class")):
                with self.assertRaisesRegex(factosim.InputError, words):
                    factosim.sweep(LU, wrong, out=Path(folder) / "wrong")
                self.assertFalse((Path(folder) / "wrong").exists(), wrong)

    def test_the_program_goes_on_with_a_sweep_and_its_replicas(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "sweep"
            commands = factosim.sweep(LU, self.grid, out=out, engine="list", chunk=3, replicas=2)["command"]
            self.assertEqual(len(commands), 3)
            subprocess.run(commands[1], shell=True, check=True, capture_output=True)
            with self.assertRaisesRegex(factosim.InputError, "has no sweep.jsonl"):
                factosim.open_sweep(out)
            self.assertEqual(factosim.open_sweep(out, collect=True)["status"].tolist(), ["missing"] * 3 + ["done"] * 3 + ["missing"] * 2)
            done = subprocess.run([PROGRAM, "sweep", out / "inputs/sweep.json", "--out", out, "--resume"], capture_output=True, text=True)
            self.assertIn("8 of 8 points done; 5 simulated", done.stdout)
            table = factosim.sweep(LU, self.grid, out=out, resume=True, replicas=2)
            self.assertEqual(table["makespan_s"][::2].tolist(), factosim.sweep(LU, self.grid)["makespan_s"].tolist())
            self.assertEqual(factosim.sweep(LU, self.grid, out=out, resume=True, replicas=2, engine="list")["command"].tolist(), [])

    def test_more_points_than_the_program_takes_by_default(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch("factosim._sweep.call", return_value="") as called:
                factosim.sweep(LU, {"seed": range(6000)}, out=Path(folder) / "sweep", engine="list", replicas=2)
        self.assertIn("--max-points=12000", called.call_args.args)

    def test_slurm_gets_a_script_and_options(self):
        with tempfile.TemporaryDirectory() as folder:
            sbatch = Path(folder) / "sbatch"
            sbatch.write_text(f'#!/bin/sh\necho "$@" >>"{folder}/said"\necho 4711\n')
            sbatch.chmod(0o755)
            path, out = os.environ["PATH"], Path(folder) / "sweep"
            os.environ["PATH"] = f"{folder}:{path}"
            try:
                sent = factosim.sweep(LU, self.grid, out=out, engine="slurm", chunk=3, sbatch=["--time=3"], wait=False)
                self.assertEqual(sent["job"].tolist(), ["4711"])
                for word in ("--array=0-1", "--time=3", "job.sh"):
                    self.assertIn(word, (Path(folder) / "said").read_text())
                self.assertIn("inputs/sweep.json", (out / "slurm/job.sh").read_text())
                with self.assertRaisesRegex(factosim.InputError, "lacks 4 of 4 points"):  # this Slurm ran nothing
                    factosim.sweep(LU, self.grid, out=out, engine="slurm", resume=True)
                table = factosim.sweep(LU, self.grid, out=out, engine="slurm", resume=True, errors="record")
                self.assertEqual(table["error"].tolist(), ["missing"] * 4)
                sbatch.write_text("#!/bin/sh\necho no partition\nexit 1\n")
                with self.assertRaisesRegex(factosim.InputError, "no partition"):
                    factosim.sweep(LU, self.grid, out=out, engine="slurm", resume=True)
            finally:
                os.environ["PATH"] = path

    def test_a_sweep_goes_on_after_a_kill(self):
        grid = {"nt": list(range(20, 44))}
        code = f"import factosim\nfactosim.sweep({LU!r}, {grid!r}, out='sweep', processes=2)"
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen([sys.executable, "-c", code], cwd=folder, stderr=subprocess.DEVNULL)
            points = Path(folder) / "sweep/points"
            deadline = time.monotonic() + 60
            while len(list(points.glob("*.json"))) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertFalse((Path(folder) / "sweep/sweep.csv").exists())
            time.sleep(0.5)  # the program ends with its parent
            done = {file: file.stat().st_mtime_ns for file in points.glob("*.json")}
            self.assertGreaterEqual(len(done), 3)
            table = factosim.sweep(LU, grid, out=Path(folder) / "sweep", resume=True, processes=2)
            self.assertEqual(table["status"].tolist(), ["done"] * 24)
            self.assertTrue(all(file.stat().st_mtime_ns == at for file, at in done.items()))
            self.assertEqual(table["makespan_s"][0], factosim.run(LU, nt=20).makespan_s)


if __name__ == "__main__":
    unittest.main()
