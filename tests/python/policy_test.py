"""Policies in Python: those that are built in too give the same runs; nonsense ends with a clear error."""

import collections
import functools
import json
import random
import tempfile
import unittest
from pathlib import Path

import factosim
from policies import Dm, Eager
from surroundings import CLUSTER, FIRST


def dates(run):
    return [run.tasks[name].tolist() for name in ("worker_id", "start_s", "end_s")]


class SamePolicies(unittest.TestCase):
    def check_same(self, policy, name, scenario, **settings):
        own = factosim.run(scenario, settings, scheduler=policy)
        built_in = factosim.run(scenario, {**settings, "/scheduler": {"type": name}})
        self.assertEqual(own.makespan_s, built_in.makespan_s)
        self.assertEqual(dates(own), dates(built_in))
        self.assertEqual(own.result["provenance"]["options"]["scheduler"]["type"], policy.__name__)

    def test_eager_in_python_is_the_built_in_one_to_the_last_date(self):
        self.check_same(Eager, "eager", FIRST, nt=12)
        self.check_same(Eager, "eager", CLUSTER, nt=12)

    def test_dm_in_python_is_the_built_in_one_to_the_last_date(self):
        self.check_same(Dm, "dm", FIRST, nt=12)
        self.check_same(Dm, "dm", CLUSTER, nt=12)

    def test_tasks_of_one_kernel_have_their_own_durations(self):
        draw = random.Random(5)
        with tempfile.TemporaryDirectory() as folder:
            tasks = [{"task": t, "kernel": "work", "depends_on": draw.sample(range(t), min(t, 2)),
                      "cpu_s": draw.uniform(0.01, 1), "cuda_s": draw.uniform(0.01, 0.3)} for t in range(200)]
            lines = [{"format": "factosim-graph", "version": 1}, *tasks]
            (Path(folder) / "graph.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            scenario = Path(folder) / "scenario.json"
            scenario.write_text(json.dumps({"format": "factosim-scenario", "version": 1, "name": "weighted",
                                            "platform": "mirage", "scheduler": {"type": "dm"},
                                            "application": {"type": "graph", "file": "graph.jsonl"}}))
            self.check_same(Dm, "dm", scenario)

    def test_a_policy_may_simulate_in_this_process_and_keep_what_it_saw(self):
        seen = []

        class Watching(Eager):
            def finished(self, worker, task):
                seen.append((worker, task, self.node.now))

        run = factosim.run(FIRST, {"nt": 5, "/network/model": "maxmin"}, scheduler=Watching, isolated=False)
        self.assertEqual(sorted(task for _, task, _ in seen), list(range(run.result["tasks"])))
        self.assertEqual(max(now for _, _, now in seen), run.makespan_s)


class View(unittest.TestCase):
    def test_a_node_shows_workers_graph_durations_and_data(self):
        facts = {}

        class Looking(Eager):
            def __init__(self, node):
                super().__init__(node)
                facts["node"], facts["graph"] = node, node.graph
                facts["gpus"] = [w.gpu for w in node.workers]
                facts["copy"] = node.copy_time(0, 1, 10**6)

            def push(self, task, pusher):
                facts.setdefault("transfers", self.node.predict_transfers(task))
                facts.setdefault("readiness", [self.node.readiness(task, m) for m in range(self.node.memory_count)])
                facts.setdefault("durations", self.node.durations(task))
                facts.setdefault("here", self.node.runs_here(task))
                return super().push(task, pusher)

        run = factosim.run(FIRST, {"nt": 5, "/network/model": "maxmin"}, scheduler=Looking, isolated=False)
        graph = facts["graph"]
        self.assertEqual(facts["gpus"], [True] * 3 + [False] * (len(facts["gpus"]) - 3))
        self.assertEqual(len(graph), run.result["tasks"])
        self.assertEqual(graph.edge_count, len(graph.successors))
        self.assertEqual(graph.predecessor_count.sum(), graph.edge_count)
        self.assertEqual(graph.kernel_names[graph.kernel[0]], "getrf")
        self.assertEqual(len(facts["durations"]), len(facts["gpus"]))
        self.assertEqual(facts["transfers"][0], 0)
        self.assertGreater(facts["transfers"][1], 0)
        self.assertEqual(facts["readiness"][0][0], 0)
        self.assertGreater(facts["readiness"][1][0], 0)
        self.assertTrue(facts["here"])
        self.assertGreater(facts["copy"], 0)
        with self.assertRaisesRegex(RuntimeError, "ended"):
            facts["node"].now
        with self.assertRaises(ValueError):
            graph.kernel[0] = 1


class Nonsense(unittest.TestCase):
    def fails(self, push, pop, expected, error=factosim.InputError, **flags):
        class Wrong(factosim.Scheduler):
            def __init__(self, node):
                super().__init__(node)
                self.ready = collections.deque()
                for name, value in flags.items():
                    setattr(self, name, value)

            def push(self, task, pusher):
                self.ready.append(task)
                return push(self, task)

            def pop(self, worker):
                return pop(self, worker)

        for isolated in (True, False):
            with self.assertRaisesRegex(error, expected):
                factosim.run(FIRST, {"nt": 5, "/network/model": "maxmin"}, scheduler=Wrong, isolated=isolated)

    all_workers = staticmethod(lambda policy, task: factosim.ALL_WORKERS)
    first = staticmethod(lambda policy, worker: policy.ready.popleft() if policy.ready else None)

    def test_a_task_that_is_popped_twice(self):
        self.fails(self.all_workers, lambda policy, worker: policy.ready[0], "returned before")

    def test_a_task_that_was_never_pushed(self):
        self.fails(self.all_workers, lambda policy, worker: 54, "was not pushed")
        self.fails(self.all_workers, lambda policy, worker: 10**6, "no task has this number")
        self.fails(self.all_workers, lambda policy, worker: 1 << 80, "a task or None")

    def test_a_worker_that_does_not_exist(self):
        self.fails(lambda policy, task: 99, self.first, "worker 99")
        self.fails(lambda policy, task: -7, self.first, "FIRST_IDLE")
        self.fails(lambda policy, task: 1 << 80, self.first, "FIRST_IDLE")

    def test_answers_of_the_wrong_kind(self):
        self.fails(lambda policy, task: None, self.first, "push returned None")
        self.fails(lambda policy, task: "gpu", self.first, "push returned 'gpu'")
        self.fails(self.all_workers, lambda policy, worker: 1.5, "pop returned 1.5")

    def test_a_task_that_is_kept_for_ever(self):
        self.fails(self.all_workers, lambda policy, worker: None, "keeps 1 task for ever, task 0")
        self.fails(lambda policy, task: 0, lambda policy, worker: None, "keeps 1 task for ever", shares_tasks=False)

    def test_an_exception_of_the_policy_is_that_of_the_run(self):
        def fail(policy, worker):
            raise KeyError("mine")

        self.fails(self.all_workers, fail, "mine", KeyError)

    def test_a_class_that_is_no_policy(self):
        class Empty:
            def __init__(self, node):
                pass

        with self.assertRaisesRegex(factosim.InputError, "scheduler: Empty has no push"):
            factosim.run(FIRST, nt=4, scheduler=Empty)

    def test_what_is_no_class_is_refused_and_names_are_those_of_scenarios(self):
        with self.assertRaisesRegex(factosim.InputError, "scheduler#: is 3"):
            factosim.run(FIRST, nt=4, scheduler=3)
        with self.assertRaises(factosim.InputError):
            factosim.run(FIRST, nt=4, scheduler="no policy")
        self.assertEqual(factosim.run(FIRST, nt=4, scheduler="dm").makespan_s,
                         factosim.run(FIRST, {"nt": 4, "/scheduler/type": "dm"}).makespan_s)

    def test_a_policy_may_simulate_itself(self):
        class Planning(Eager):
            def __init__(self, node):
                super().__init__(node)
                self.planned = factosim.run(FIRST, {"nt": 3, "/network/model": model}, progress=False).makespan_s

        model = "maxmin"
        self.assertGreater(factosim.run(FIRST, nt=4, scheduler=Planning).makespan_s, 0)
        if factosim.run(FIRST, nt=3).result["provenance"]["simgrid"] != "none":
            model = "simgrid"
            with self.assertRaisesRegex(factosim.InputError, "Use maxmin"):
                factosim.run(FIRST, nt=4, scheduler=Planning)
        partial = functools.partial(Eager)
        self.assertEqual(factosim.run(FIRST, nt=4, scheduler=partial).makespan_s,
                         factosim.run(FIRST, nt=4, scheduler="eager").makespan_s)

    def test_studies_and_prescribed_replays_have_no_policy(self):
        with self.assertRaisesRegex(factosim.InputError, "no policy"):
            factosim.run(FIRST.parents[1] / "ring/toy.json", scheduler=Eager)

    def test_a_crash_ends_the_run_only(self):
        import os
        import signal

        class Crashing(Eager):
            def pop(self, worker):
                os.kill(os.getpid(), signal.SIGSEGV)

        with self.assertRaisesRegex(factosim.ContractError, "SIGSEGV"):
            factosim.run(FIRST, nt=4, scheduler=Crashing)
        self.assertGreater(factosim.run(FIRST, nt=4).makespan_s, 0)


if __name__ == "__main__":
    unittest.main()
