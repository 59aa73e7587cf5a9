"""What results say of runs that Python made, and what the auditor can tell of them: dicts, arrays, graphs, platforms, classes."""

import functools
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

import factosim
from policies import Dm, Eager
from surroundings import FIRST, PROGRAM

LU = {"platform": "mirage", "application": {"type": "lu", "nt": 4, "nb": 960}, "network": "maxmin"}
MAP = np.indices((4, 4)).sum(0) % 2


class Patient(Eager):
    def __init__(self, node, patience):
        super().__init__(node)


def graph():
    flow = factosim.TaskFlow()
    kernel = flow.add_kernel("step", seconds={"cpu": 0.1, "cuda": 0.02})
    for _ in range(12):
        flow.submit(kernel, (flow.add_handle(8), "rw"))
    return flow.finish()


def cluster():
    out = factosim.platform("mirage", nodes=2)
    out.set_duration("mirage", "gemm", "cpu", 0.5, 960, "double")
    return out


def of_python(run):
    return run.result["provenance"].get("python", {})


class Records(unittest.TestCase):
    def test_a_dict_is_recorded_whole_with_what_changed_it(self):
        recorded = of_python(factosim.run(LU, {"nt": 5}, scheduler="dm", seed=3))
        self.assertEqual(recorded["scenario"], {"format": "factosim-scenario", "version": 1, "platform": "mirage",
                                                "application": {"type": "lu", "nt": 5, "nb": 960}, "network": {"model": "maxmin"},
                                                "scheduler": {"type": "dm"}, "seed": 3})
        self.assertRegex(recorded["version"], r"^3\.\d+")
        self.assertNotIn("policy", recorded)

    def test_the_record_runs_again_with_arrays_and_platforms(self):
        run = factosim.run({**LU, "platform": cluster(), "distribution": MAP})
        recorded = of_python(run)
        self.assertEqual(recorded["scenario"]["distribution"], MAP.tolist())
        kernels = recorded["scenario"]["platform"]["node_types"]["mirage"]["kernels"]
        self.assertIn(0.5, [t["mean_s"] for t in kernels["kernels"]["gemm"]])
        self.assertNotIn("factosim-", json.dumps(recorded["scenario"]).replace("factosim-scenario", "").replace(
            "factosim-platform", "").replace("factosim-kernels", ""))
        again = factosim.run(recorded["scenario"])
        self.assertEqual((again.makespan_s, of_python(again)), (run.makespan_s, recorded))

    def test_policies_are_named_with_module_and_parameters(self):
        for policy, name, values in ((Eager, "policies.Eager", {}), ({"type": Patient, "patience": 3}, "__main__.Patient", {"patience": 3}),
                                     (functools.partial(Patient, patience=2), "__main__.Patient", {"patience": 2}),
                                     (lambda node: Dm(node), r"__main__.Records.*<lambda>", {})):
            run = factosim.run(FIRST, nt=3, scheduler=policy)
            self.assertRegex(of_python(run)["policy"], f"^{name}$".replace("__main__", __name__))
            options = dict(run.result["provenance"]["options"]["scheduler"])
            self.assertEqual(options.pop("type"), of_python(run)["policy"].rsplit(".", 1)[-1])
            self.assertEqual(options, values)

    def test_files_with_plain_settings_are_as_the_program_runs_them(self):
        run = factosim.run(FIRST, nt=3)
        self.assertEqual(of_python(run), {})
        self.assertNotEqual(of_python(factosim.run(FIRST, {"application": graph()})), {})
        self.assertIn("scenario", of_python(factosim.run(FIRST, platform=cluster())))

    def test_runs_in_this_process_and_replicas_are_recorded_too(self):
        self.assertIn("scenario", of_python(factosim.run(LU, isolated=False)))
        self.assertEqual(of_python(factosim.run({**LU, "noise": "lognormal"}, replicas=2, scheduler=Eager))["policy"], "policies.Eager")


class Audits(unittest.TestCase):
    def sound(self, run, skipped=""):
        audit = factosim.check(run)
        self.assertEqual(audit["findings"], 0, [c for c in audit["checks"] if c["findings"]])
        repetition = audit["checks"][-1]
        self.assertEqual((repetition["name"], repetition.get("skipped", "")), ("repetition", skipped))
        self.assertEqual(repetition["cases"] == 0, skipped != "")

    def test_what_python_made_is_repeated(self):
        flow_scenario = {**LU, "application": graph()}
        for run in (factosim.run(LU), factosim.run(LU, {"nt": 5}, scheduler="dm"), factosim.run({**LU, "platform": cluster(), "distribution": MAP}),
                    factosim.run(flow_scenario), factosim.run(FIRST, {"application": graph(), "network": "maxmin"}),
                    factosim.run({"platform": "mirage", "network": "maxmin"}, {"application": graph()}),
                    factosim.run({**LU, "noise": "lognormal"}, replicas=3, series=True), factosim.run(FIRST, platform=cluster(), nt=4)):
            self.sound(run)

    def test_what_a_class_decided_is_audited_and_the_repetition_skipped(self):
        why = "the policy is the class policies.Eager of Python, which the program cannot repeat"
        for run in (factosim.run(LU, scheduler=Eager), factosim.run(FIRST, nt=4, scheduler=Eager), factosim.run({**LU, "application": graph(), "scheduler": Eager}),
                    factosim.run({**LU, "platform": cluster(), "distribution": MAP, "scheduler": {"type": Eager}})):
            self.sound(run, why)

    def test_a_damaged_run_of_a_class_has_findings(self):
        with tempfile.TemporaryDirectory() as folder:
            run = factosim.run(LU, scheduler=Eager, out=Path(folder) / "run")
            result = (run.folder / "result.json").read_text()
            (run.folder / "result.json").write_text(result.replace('"tasks": 30', '"tasks": 31'))
            self.assertGreater(factosim.check(run.folder)["findings"], 0)

    def test_saved_runs_are_checked_by_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, scheduler, words in (("a", "dmdas", "repetition             3"), ("b", Eager, "class policies.Eager of Python")):
                saved = factosim.run(LU, nt=5, scheduler=scheduler).save(Path(folder) / name)
                done = subprocess.run([PROGRAM, "check", saved], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(words, done.stdout)
            changed = subprocess.run([PROGRAM, "export", saved, "--format=graph-jsonl", f"--output={folder}/g.jsonl"], capture_output=True, text=True)
            self.assertEqual(changed.returncode, 2)
            self.assertIn("#/provenance/python/policy: is a class", changed.stderr)

    def test_a_policy_that_has_a_name_only_in_python_is_not_simulated_by_compare(self):
        comparison = factosim.compare(factosim.run(LU), factosim.run(LU, scheduler=Eager))
        self.assertIn("only Python can simulate it again", str(comparison) + json.dumps(comparison.result))


if __name__ == "__main__":
    unittest.main()
