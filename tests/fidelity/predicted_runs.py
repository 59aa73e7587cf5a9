#!/usr/bin/env python3
"""Predicts real runs from calibrations on at most three others, and prints how well the predictions hold.

usage: predicted_runs.py PROGRAM [DATA] [--replicas N] [--interval P] [--without-outliers] [--check] [--verbose]

DATA is the folder with `local_runs` (default: $FACTOSIM_DATA); without it the script says that it skips. Each run
has a meta.json with its configuration and makespan; some have a trace. For each application, `factosim calibrate`
reads three traces: two runs of the tile size of which there are several, on 10 x 10 tiles, and the run of the other
tile size. All other runs of the application with these tile sizes on one process are predicted:
`factosim run --noise calibrated --replicas N --interval P`. This is repeated for every pair of the runs on 10 x 10
tiles, so that nothing depends on the choice. Printed are, for each calibration and in total:

  bias      mean of (predicted - real) / real, the prediction being the mean of the replicas
  rms       root of the mean square of that
  coverage  share of runs within the prediction interval

A run's time is that from the first submission to the end of the last task, by its trace, or what the program itself
printed (in whole milliseconds) if it was not traced."""

import argparse
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

APPLICATIONS = {"lu": ("lu", "double"), "cholesky": ("cholesky", "single")}


class Run:
    def __init__(self, folder):
        self.folder = folder
        self.meta = json.loads((folder / "meta.json").read_text())
        self.application = "lu" if "lu_" in self.meta["app"] else "cholesky"
        self.traced = (folder / "tasks.rec.gz").exists()
        self.cores = self.meta.get("cpu_workers", 0)
        trace = self.meta.get("trace", {})
        self.seconds = 1e-3 * trace.get("first_submit_to_last_end_ms", self.meta["makespan_ms"])

    @property
    def name(self):
        return self.meta["name"]

    @property
    def tile(self):
        return self.meta["tile"]

    @property
    def one_process(self):
        return "mpi_processes" not in self.meta

    def configuration(self):
        return self.meta["nblocks"], self.tile, self.meta["scheduler"], self.cores


def read_runs(data):
    folders = sorted(f for f in (data / "local_runs").iterdir() if (f / "meta.json").exists())
    return [run for run in map(Run, folders) if run.one_process]


def factosim(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"factosim {' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return done.stdout


def calibrate(program, runs, folder, options):
    factosim(program, "calibrate", *(r.folder for r in runs), "--name", "real", "--out", folder / "kernels.json",
             "--platform", folder / "platform.json", *(["--without-outliers"] if options.without_outliers else []))
    return json.loads((folder / "kernels.json").read_text()).get("variability", {})


def predict(program, run, folder, options):
    """Returns the mean of the replicas and the limits of the prediction interval, in seconds."""
    tiles, tile, policy, cores = run.configuration()
    application, precision = APPLICATIONS[run.application]
    platform = json.loads((folder / "platform.json").read_text())
    for node_type in platform["node_types"].values():
        node_type["cores"] = cores
    (folder / "cores.json").write_text(json.dumps(platform))
    scenario = {"format": "factosim-scenario", "version": 1, "platform": "cores.json",
                "application": {"type": application, "nt": tiles, "nb": tile, "precision": precision},
                "scheduler": {"type": policy}, "network": {"model": "maxmin"}}
    (folder / "scenario.json").write_text(json.dumps(scenario))
    out = json.loads(factosim(program, "run", folder / "scenario.json", "--noise", "calibrated", "--replicas",
                              options.replicas, "--interval", options.interval, "--json"))
    spread = out["replicas"]["makespan_s"]
    return spread["mean"], spread["prediction_low"], spread["prediction_high"]


def calibrations(runs):
    """Yields the traces of each calibration: every pair of runs on 10 x 10 tiles with all runs of other tile sizes."""
    traced = [r for r in runs if r.traced]
    sizes = sorted({r.tile for r in traced}, key=lambda tile: -sum(r.tile == tile for r in traced))
    many = [r for r in traced if r.tile == sizes[0] and r.meta["nblocks"] == 10]
    others = [r for r in traced if r.tile != sizes[0]][:1]
    for pair in itertools.combinations(many, 2):
        yield [*pair, *others]


class Tally:
    def __init__(self):
        self.errors, self.held = [], 0

    def add(self, run, mean, low, high):
        self.errors.append(mean / run.seconds - 1)
        self.held += low <= run.seconds <= high

    def merge(self, other):
        self.errors += other.errors
        self.held += other.held

    def __str__(self):
        count = len(self.errors)
        bias = sum(self.errors) / count
        rms = math.sqrt(sum(e * e for e in self.errors) / count)
        return f"{count:4d} runs  bias {100 * bias:+6.1f} %  rms {100 * rms:5.1f} %  " \
               f"coverage {100 * self.held / count:5.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", nargs="?", default=os.environ.get("FACTOSIM_DATA"))
    parser.add_argument("--replicas", type=int, default=40)
    parser.add_argument("--interval", type=float, default=0.9)
    parser.add_argument("--without-outliers", action="store_true", help="calibrate without outliers")
    parser.add_argument("--check", action="store_true",
                        help="fail if the coverage differs from the interval by more than 5 points and one run")
    parser.add_argument("--verbose", action="store_true", help="print each run")
    options = parser.parse_args()
    if not options.data or not (pathlib.Path(options.data) / "local_runs").is_dir():
        print("skipped: no folder with local_runs (give it, or set FACTOSIM_DATA)")
        return
    runs = read_runs(pathlib.Path(options.data))
    total = Tally()
    for application in APPLICATIONS:
        own = [r for r in runs if r.application == application]
        for used in calibrations(own):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                variability = calibrate(options.program, used, folder, options)
                tally = Tally()
                for run in own:
                    if run in used or run.tile not in {u.tile for u in used}:
                        continue
                    mean, low, high = predict(options.program, run, folder, options)
                    tally.add(run, mean, low, high)
                    if options.verbose:
                        print(f"  {run.name:32s} real {1e3 * run.seconds:8.1f} ms, predicted {1e3 * mean:8.1f}, "
                              f"{1e3 * low:8.1f} to {1e3 * high:8.1f}  {100 * (mean / run.seconds - 1):+6.1f} %")
            print(f"{application:9s} by {' + '.join(u.name for u in used)}\n"
                  f"          deviations {variability}\n          {tally}")
            total.merge(tally)
    print(f"all       {total}")
    coverage = total.held / len(total.errors)
    if options.check and abs(coverage - options.interval) > 0.05 + 1 / len(total.errors):
        sys.exit(f"the {100 * options.interval:g} % interval holds {100 * coverage:.1f} % of the runs")


if __name__ == "__main__":
    main()
