#!/usr/bin/env python3
"""Conclusions of the ICPADS 2020 study on LU over heterogeneous clusters, checked on its scenarios, and bounds on its nodes: efficiencies follow
makespans, and no makespan that any distribution, policy or search finds is below a bound. The machines' timings are estimates: orders and
shapes are tested, and of the printed numbers only those that do not depend on timings. tests/bench/efficiency.py prints the long form.

    tests/studies/lu_study.py PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
program = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
LILLE, LARGE = (8, 14), (16, 30)  # Chifflet, which are the fast nodes and come first, and Chetemi


def said(command, scenario, *settings, options=()):
    """What a command prints as JSON for a scenario of the study."""
    words = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([program, *command.split(), ROOT / "scenarios" / scenario, "--json", *words, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def of_cluster(command, cluster, nt, *settings, options=()):
    nodes = [{"type": name, "count": count} for name, count in zip(("chifflet", "chetemi"), cluster) if count > 0]
    return said(command, "lu_icpads20/fig13_growing_matrix.json", f"/platform/nodes={json.dumps(nodes)}", f"/application/nt={nt}", *settings,
                options=options)


def distribution(kind, **keys):
    return f"/distribution={json.dumps({'type': kind, **keys})}"


def per_node(cluster, fast, slow):
    return [fast] * cluster[0] + [slow] * cluster[1]


def simulated(cluster, nt, kind):
    return of_cluster("run", cluster, nt, distribution(kind))


def makespan(cluster, nt, kind):
    return simulated(cluster, nt, kind)["makespan_s"]


def activity(result):
    """Sum over the nodes of the time from the first task to the last one."""
    return sum(node["last_task_s"] - node["first_task_s"] for node in result["nodes"])


def share_of_peak(result):
    """Area bound of the whole cluster over the makespan."""
    return result["bounds"]["abe_s"] / result["makespan_s"]


def tiles_sent(cluster, nt, kind, **keys):
    return of_cluster("distribute", cluster, nt, distribution(kind, **keys))["tiles_sent"]


class Conclusions(unittest.TestCase):
    def test_figure_10_block_cyclic_degrades_at_prime_node_counts_and_1d1d_does_not(self):
        for prime in (23, 31):
            cyclic, rectangles = ([makespan((0, count), 50, kind) for count in (prime, prime + 1)] for kind in ("block-cyclic", "1d1d"))
            self.assertGreater(cyclic[0], 1.08 * cyclic[1])
            self.assertLess(rectangles[0], 1.02 * rectangles[1])
            self.assertGreater(cyclic[0], 1.08 * rectangles[0])

    def test_figure_11_slow_nodes_delay_block_cyclic_and_not_1d1d(self):
        alone = makespan((8, 0), 100, "1d1d")
        self.assertLess(makespan((8, 2), 100, "1d1d"), 0.93 * alone)
        self.assertGreater(makespan((8, 2), 100, "block-cyclic"), 1.8 * alone)

    def test_figures_11_to_13_c_and_c_s_are_at_most_1_percent_slower_and_active_for_less_time(self):
        for cluster, nt in (((4, 4), 40), ((8, 2), 40), (LILLE, 60), (LARGE, 25), (LARGE, 50), (LARGE, 75)):
            plain = simulated(cluster, nt, "1d1d")
            for kind in ("1d1d-c", "1d1d-c+s"):
                with self.subTest(cluster=cluster, nt=nt, kind=kind):
                    improved = simulated(cluster, nt, kind)
                    self.assertLessEqual(improved["makespan_s"], 1.01 * plain["makespan_s"])
                    self.assertLess(activity(improved), activity(plain))
                    if (cluster, nt) == (LARGE, 25):  # printed: a gain of 32.5 % by both, here read as time saved; within 5 %
                        self.assertAlmostEqual(1 - improved["makespan_s"] / plain["makespan_s"], 0.325, delta=0.05 * 0.325)

    def test_figures_6_and_8_the_makespans_of_39_94_and_39_30_seconds(self):
        # The rate of the GPUs is fitted to the first one, nothing is to the second.
        self.assertAlmostEqual(said("run", "lu_icpads20/fig06_1d1d.json")["makespan_s"] / 39.94, 1, delta=0.02)
        self.assertAlmostEqual(said("run", "lu_icpads20/fig08_shuffled.json")["makespan_s"] / 39.30, 1, delta=0.04)

    def test_figure_13_on_150_x_150_tiles_block_cyclic_stays_30_percent_below_the_peak(self):
        self.assertLess(share_of_peak(simulated(LARGE, 150, "block-cyclic")), 0.7)
        self.assertGreater(share_of_peak(simulated(LARGE, 150, "1d1d")), 0.83)

    def test_figure_13_the_map_that_sends_129164_tiles_is_not_within_6_percent_of_the_peak_at_any_ratio_of_rates(self):
        made = of_cluster("distribute", LARGE, 150, distribution("1d1d", speeds=per_node(LARGE, 1.995, 1)))
        self.assertEqual(made["tiles_sent"], 129164)
        updates = [0] * 46
        for m, row in enumerate(made["owner"]):
            for n, owner in enumerate(row):
                updates[owner] += min(m, n)
        fast, slow = max(updates[:16]), max(updates[16:])
        ratios = (1 + i / 1000 for i in range(3000))
        self.assertGreater(min(max(fast / r, slow) * (16 * r + 30) / sum(updates) for r in ratios), 1 / (1 - 0.06))

    def test_tiles_sent(self):
        self.assertEqual(tiles_sent(LILLE, 100, "block-cyclic", p=2, q=11), 55329)
        self.assertEqual(tiles_sent(LARGE, 150, "1d1d", speeds=per_node(LARGE, 1.995, 1)), 129164)
        self.assertEqual(tiles_sent(LILLE, 100, "1d1d", speeds=per_node(LILLE, 1.995, 1)), 36990)
        self.assertEqual(tiles_sent(LILLE, 100, "1d1d", speeds=per_node(LILLE, 3.3, 1)), 35418)  # printed: 35417
        for cluster, nt, printed in ((LILLE, 100, 35417), (LARGE, 150, 123780)):
            keys = {"speeds": per_node(cluster, 1.995, 1), "rates": per_node(cluster, 1548.4e9, 606e9)}
            self.assertAlmostEqual(tiles_sent(cluster, nt, "1d1d-c", **keys) / printed, 1, delta=0.001)

    def test_figure_7_the_four_sections(self):
        sections = said("distribute", "lu_icpads20/fig07_sections.json")["sections"]
        self.assertEqual([(s["first_k"], s["last_k"], len(s["nodes"])) for s in sections], [(100, 96, 1), (95, 85, 6), (84, 68, 15), (67, 1, 21)])
        iterations = said("bounds", "lu_icpads20/fig07_sections.json")["iterations"]
        ideal, path = iterations["abe_star_s"], iterations["cpb_with_comm_s"]
        for k in range(68, 101):  # ABE* exceeds CPB only where all nodes work already
            self.assertLessEqual(ideal[k - 1], path[k - 1])
        self.assertGreater(ideal[0], path[0])
        self.assertGreater(path[83], 2 * path[84])  # slow nodes join at k = 84

    def test_figure_9_before_shuffling_the_loads_differ_most_at_iteration_84_and_shuffling_removes_most_of_it(self):
        def differences(rounds):
            loads = said("bounds", "lu_icpads20/fig09_two_shuffles.json", f"/distribution/rounds={rounds}")["iterations"]["cabe_per_node_s"]
            return [max(of_nodes) - min(of_nodes) for of_nodes in zip(*loads)]
        before, after = differences(0), differences(2)
        self.assertEqual(before.index(max(before)) + 1, 84)
        self.assertLess(max(after), 0.4 * max(before))

    def test_two_nodes_depend_on_the_sends_at_once_if_they_share_the_wire_and_not_if_they_queue(self):
        def two_nodes(wire, sends):
            return said("run", "wire/two_nodes.json", f"/network/wire={wire}", f"/network/max_sends_per_node={sends}")["makespan_s"]
        one = two_nodes("shared", 1)
        for sends in (6, 8, 10):
            self.assertGreater(two_nodes("shared", sends), 1.2 * one)
        for sends in (1, 2, 4, 6, 10):
            self.assertAlmostEqual(two_nodes("fifo", sends) / one, 1, delta=0.07)


class Bounds(unittest.TestCase):
    def test_efficiency_falls_in_the_order_of_makespans_on_each_set_of_nodes(self):
        for cluster, nt in (((2, 3), 16), ((4, 0), 20), ((0, 7), 20), ((8, 1), 24), ((7, 14), 30)):
            runs = []  # makespan, efficiency
            for kind in ("block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"):
                for policy in ("dmdas", "lws"):
                    run = of_cluster("run", cluster, nt, distribution(kind), f"/scheduler/type={policy}")
                    bounds = run["bounds"]
                    self.assertLessEqual(bounds["problem_s"], bounds["distribution_s"])
                    self.assertLessEqual(bounds["distribution_s"], run["makespan_s"])
                    runs.append((run["makespan_s"], bounds["problem_s"] / run["makespan_s"]))
            runs.sort()
            for (before, better), (after, worse) in zip(runs, runs[1:]):
                if after > before * (1 + 1e-9):
                    self.assertLess(worse, better)

    def test_no_bound_is_above_a_makespan_that_the_search_finds(self):
        for cluster, nt in (((2, 2), 12), ((3, 4), 16)):
            bound = of_cluster("bounds", cluster, nt)["problem_s"]
            found = of_cluster("advise", cluster, nt, options=("--exhaustive", "--schedulers", "dmdas,dmda,lws,prio"))
            # The bound of the whole set holds for each subset.
            for choice in [found["best"], *found["pareto_front"]]:
                self.assertLessEqual(bound, choice["makespan_s"])

    def test_a_diagnosis_of_imbalance_names_a_distribution_whose_run_is_no_shorter_than_it_says(self):
        for cluster, nt in (((2, 6), 40), ((4, 4), 40)):
            cyclic = of_cluster("run", cluster, nt, "/distribution/type=block-cyclic", "/network/model=constant")
            self.assertEqual(cyclic["diagnosis"]["limit"], "balance-between-nodes")
            named = re.search(r"\. With (1d1d\S*) .* at least ([\d.e+-]+\d)", cyclic["diagnosis"]["text"])
            self.assertIsNotNone(named, cyclic["diagnosis"]["text"])
            kind, bound = named[1], float(named[2])
            other = of_cluster("run", cluster, nt, f"/distribution/type={kind}", "/network/model=constant")["makespan_s"]
            self.assertLessEqual(bound, other * 1.001)  # four digits
            self.assertGreaterEqual(bound, cyclic["bounds"]["problem_s"] * 0.999)
            self.assertLess(other, cyclic["makespan_s"])

    def test_a_bound_stays_as_it_is_where_drawn_durations_let_a_run_end_before(self):
        bound = of_cluster("bounds", (1, 0), 30)["problem_s"]
        beaten = 0
        for seed in range(8):
            bounds = (run := of_cluster("run", (1, 0), 30, f"/seed={seed}", '/noise={"distribution":"normal","run_speed_deviation":0.4}'))["bounds"]
            self.assertEqual(bounds["problem_s"], bound)
            self.assertEqual(bounds.get("beaten", False), bounds["distribution_s"] > run["makespan_s"])
            beaten += "beaten" in bounds
        self.assertIn(beaten, range(1, 8))


if __name__ == "__main__":
    if program is None:
        sys.exit(__doc__)
    unittest.main()
