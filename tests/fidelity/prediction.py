"""Predictions of real runs from calibrations on some of them, for the scripts of this folder."""

import json
import math
import subprocess
import sys


def factosim(program, *arguments):
    """Returns what the command prints; ends this program if it fails."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"factosim {' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return done.stdout


def calibrate(program, traces, folder, *options):
    """Writes kernels.json and platform.json into the folder."""
    factosim(program, "calibrate", *traces, "--name", "real", "--out", folder / "kernels.json", "--platform",
             folder / "platform.json", *options)


def predict(program, folder, keys, cores=None, processes=1, replicas=40, interval=0.9):
    """Returns mean, lower and upper limit of the prediction interval, in seconds. `keys`: of the scenario, beside the
    calibrated platform, whose first type of node has `cores`, and the network."""
    platform = json.loads((folder / "platform.json").read_text())
    first = next(iter(platform["node_types"]))
    if cores is not None:
        platform["node_types"][first]["cores"] = cores
    (folder / "cores.json").write_text(json.dumps(platform))
    scenario = {"format": "factosim-scenario", "version": 1,
                "platform": {"file": "cores.json", "nodes": [{"type": first, "count": processes}]},
                "network": {"model": "maxmin"}, **keys}
    (folder / "scenario.json").write_text(json.dumps(scenario))
    out = json.loads(factosim(program, "run", folder / "scenario.json", "--noise", "calibrated", "--replicas", replicas,
                              "--interval", interval, "--json"))
    spread = out["replicas"]["makespan_s"]
    return spread["mean"], spread["prediction_low"], spread["prediction_high"]


class Tally:
    """Errors of predictions: (predicted - real) / real, the prediction being the mean of the replicas."""

    def __init__(self):
        self.errors, self.held = [], 0

    def add(self, real, prediction):
        mean, low, high = prediction
        self.errors.append(mean / real - 1)
        self.held += low <= real <= high

    def merge(self, other):
        self.errors += other.errors
        self.held += other.held

    def figures(self):
        """Returns bias, root mean square, and share of runs within the interval."""
        count = len(self.errors)
        return sum(self.errors) / count, math.sqrt(sum(e * e for e in self.errors) / count), self.held / count

    def without_interval(self):
        bias, rms, _ = self.figures()
        return f"{len(self.errors):4d} runs  bias {100 * bias:+5.1f} %  rms {100 * rms:4.1f} %"

    def __str__(self):
        return f"{self.without_interval()}  in the interval {100 * self.figures()[2]:5.1f} %"
