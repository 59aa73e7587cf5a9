#!/usr/bin/env python3
"""Comparison with StarPU over SimGrid beyond the makespans of table.py: placement of tasks, bus traffic, ablation of mechanisms, cost of
simulating full memories, little GPU memory, darts, several nodes, versions 1.4 and 1.5.

    tests/fidelity/peer.py PROGRAM
"""
import collections
import csv
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
program = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def rows(name):
    """The rows of a table of this folder, by the names of its columns; those that are missing are ""."""
    lines = [line for line in (HERE / name).read_text().splitlines() if not line.startswith("#")]
    return [collections.defaultdict(str, row) for row in csv.DictReader(lines)]


@functools.cache
def machine(name):
    return json.loads((ROOT / f"platforms/{name}.json").read_text())["node_types"][name]


def run(app, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run([program, "run", ROOT / f"scenarios/peer/{app}_mirage.json", "--json", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def simulated(row, *settings):
    """Simulates the run of a row, by default on one node with dmdas of StarPU 1.4."""
    name = row["machine"]
    platform = {"file": f"../../platforms/{name}.json", "nodes": [{"type": name, "count": int(row["nodes"] or 1)}]}
    limit = float(row["gpu_limit_MiB"] or 0)
    if limit > 0:
        fraction = (limit * 2**20 + 0.5) / machine(name)["gpus"][0]["memory_bytes"]
        settings = (*settings, f"/runtime/gpu_memory_fraction={fraction:.15g}")
    return run(row["app"], f"/platform={json.dumps(platform)}", f"/application/nt={row['n']}", f"/application/nb={row['tile']}",
               f"/scheduler/type={row['policy'] or 'dmdas'}", f'/runtime/version="{row["version"] or 1.4}"', *settings)


def over_mpi(row):
    settings = ["/network/like=smpi"]
    if row["app"] == "cholesky":
        settings.append("/application/variant=starpu-mpi")
    if float(row["late_receive_buffers"] or 0) > 0:
        settings.append("/runtime/late_receive_buffers=true")
    return simulated(row, *settings)


def error_of(row, result):
    """Relative error of a simulated makespan."""
    return 1e3 * result["makespan_s"] / float(row["makespan_ms"]) - 1


def mean_and_rms(errors):
    return sum(errors) / len(errors), math.sqrt(sum(e * e for e in errors) / len(errors))


def family_of(policy):
    return {"dmdap": "dmdap and dmdasd", "dmdasd": "dmdap and dmdasd", "eager": "eager and prio", "prio": "eager and prio"}.get(policy, policy)


class Peer(unittest.TestCase):
    def within(self, error, limit, what):
        self.assertLessEqual(abs(error), limit, what)

    def check_groups(self, groups, mean, rms):
        """Checks the errors of each group of runs: their mean and their root mean square."""
        for name, errors in groups.items():
            average, root = mean_and_rms(errors)
            print(f"{name}: {len(errors)} rows, mean {100 * average:+.2f} %, rms {100 * root:.2f} %")
            self.within(average, mean, name)
            self.within(root, rms(name) if callable(rms) else rms, name)

    def test_tasks_of_each_worker_and_bytes_of_each_direction(self):
        placements = rows("peer_placement.csv")
        self.assertEqual(len(placements), 10)
        for row in placements:
            result = run(row["app"], f"/application/nt={row['n']}", f"/scheduler/type={row['policy']}")
            for quantity in ("cuda0", "cuda1", "cuda2", "cpu", "h2d", "d2h", "d2d"):
                bus = quantity in ("h2d", "d2h", "d2d")
                ours = result["transfers"][f"{quantity}_bytes"] / 2**30 if bus else result["nodes"][0]["tasks_by_worker"][quantity]
                what = f"{row['app']} {row['n']} {row['policy']} {quantity}"
                small = row["n"] == "10"  # a third of a second: the shares of the three equal GPUs are random
                known_gap = what == "cholesky 20 dmdas d2d"  # see README.md
                if bus or not small:
                    self.within(ours / float(row[quantity]) - 1, 0.2 if small else 0.13 if known_gap else 0.1, what)

    def test_ablation_of_each_mechanism(self):
        """Cholesky N = 20 with dmdas, in ms. The run on cores uses the nine cores of the others."""
        ours = {}
        for settings, peer, limit in (((), 1451, 0.01), (("/runtime/gpu_pipeline=0",), 1519, 0.02), (("/runtime/prefetch=false",), 1426, 0.01),
                                      (("/runtime/reserved_cores=9",), 1658, 0.01),
                                      (("/runtime/max_gpus=0", "/runtime/reserved_cores=3"), 13393, 0.01)):
            ours[settings] = 1e3 * run("cholesky", "/application/nt=20", *settings)["makespan_s"]
            self.within(ours[settings] / peer - 1, limit, settings)
        self.assertGreater(ours["/runtime/gpu_pipeline=0",], 1.015 * ours[()])

    def test_full_gpu_memories_cost_no_more_than_their_additional_transfers(self):
        """There are more than twice as many transfers per task, and more at a time on the bus; see README.md."""
        def cost(nt):
            result = run("lu", f"/application/nt={nt}")
            copies = sum(result["transfers"][f"{way}_bytes"] for way in ("h2d", "d2h", "d2d")) / (960 * 960 * 8)
            return result["simulation"]["cpu_s"] / (result["tasks"] + copies)
        half, full = (min(cost(nt) for _ in range(3)) for nt in (30, 60))  # the best of three, since other programs run too
        self.assertLess(full, 2 * half)

    def test_gpu_memories_of_3_to_75_percent_of_the_matrix(self):
        for file, version in (("peer_pressure.csv", "1.4"), ("peer_pressure_1.5.csv", "1.5")):
            errors = collections.defaultdict(list)
            for row in rows(file):
                error = error_of(row, simulated(row, f'/runtime/version="{version}"'))
                self.within(error, 0.18, dict(row))
                errors[family_of(row["policy"])].append(error)
            self.assertEqual(len(errors), 7)
            # One row of dm, chaotic in StarPU itself (README.md), has more than half of its family's squares.
            self.check_groups(errors, 0.03, lambda family: 0.075 if family == "dm" else 0.055)

    def test_darts_without_workers_on_cores(self):
        errors = []
        for row in rows("peer_darts.csv"):
            if row["cores"] != "0":
                continue  # chaotic, see README.md
            described = machine(row["machine"])
            cores = described["cores"] - len(described["gpus"])
            errors.append(error_of(row, simulated(row, "/scheduler/type=darts", f"/runtime/reserved_cores={cores}")))
            self.within(errors[-1], 0.15 if row["n"] == "10" else 0.12, dict(row))
        self.assertGreaterEqual(len(errors), 40)
        self.check_groups({"darts": errors}, 0.01, 0.05)

    def test_makespan_and_messages_and_bytes_of_several_nodes(self):
        errors = collections.defaultdict(list)
        runs = rows("peer_multi_node.csv")
        self.assertEqual(len(runs), 36)
        for row in runs:
            ours = over_mpi(row)
            self.assertEqual(ours["tiles_sent"], int(row["messages"]), dict(row))
            self.assertEqual(ours["bytes_sent"], int(row["bytes"]), dict(row))
            errors[row["set"]].append(error_of(row, ours))
            # The reference itself changes by 6 % when one of its overheads of 1 us is switched off.
            self.within(errors[row["set"]][-1], 0.05 if row["set"] == "first" else 0.1, dict(row))
        self.check_groups(errors, 0.0125, 0.035)

    def test_versions_on_other_machines_with_other_policies_and_limited_memory(self):
        errors = collections.defaultdict(list)
        for row in rows("peer_versions.csv"):
            errors[row["version"]].append(error_of(row, over_mpi(row)))
            # Stealing on small matrices is chaotic: it moves by a tenth when a cost of 1 us is moved.
            self.within(errors[row["version"]][-1], 0.15 if row["policy"] == "lws" else 0.08, dict(row))
        self.assertEqual(len(errors), 2)
        self.check_groups(errors, 0.015, 0.035)

    def test_policies_that_share_tasks_on_several_nodes(self):
        """Pulling policies are chaotic: one row changes by a quarter when a cost of 1 us is moved, so the means count."""
        errors = collections.defaultdict(list)
        for row in rows("peer_pull_policies.csv"):
            errors[row["app"], family_of(row["policy"])].append(error_of(row, over_mpi(row)))
            self.within(errors[row["app"], family_of(row["policy"])][-1], 0.47, dict(row))
        self.assertEqual(len(errors), 4)
        self.check_groups(errors, 0.11, 0.16)


if __name__ == "__main__":
    if program is None:
        sys.exit(__doc__)
    unittest.main()
