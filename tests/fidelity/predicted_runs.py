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
import os
import pathlib
import sys
import tempfile

from prediction import Tally, calibrate, predict

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


def keys_of(run):
    """Returns the keys of the scenario of a run."""
    tiles, tile, policy, _ = run.configuration()
    application, precision = APPLICATIONS[run.application]
    return {"application": {"type": application, "nt": tiles, "nb": tile, "precision": precision},
            "scheduler": {"type": policy}}


def calibrations(runs):
    """Yields the traces of each calibration: every pair of runs on 10 x 10 tiles with all runs of other tile sizes."""
    traced = [r for r in runs if r.traced]
    sizes = sorted({r.tile for r in traced}, key=lambda tile: -sum(r.tile == tile for r in traced))
    many = [r for r in traced if r.tile == sizes[0] and r.meta["nblocks"] == 10]
    others = [r for r in traced if r.tile != sizes[0]][:1]
    for pair in itertools.combinations(many, 2):
        yield [*pair, *others]


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
                calibrate(options.program, [u.folder for u in used], folder,
                          *(["--without-outliers"] if options.without_outliers else []))
                variability = json.loads((folder / "kernels.json").read_text()).get("variability", {})
                tally = Tally()
                for run in own:
                    if run in used or run.tile not in {u.tile for u in used}:
                        continue
                    prediction = predict(options.program, folder, keys_of(run), cores=run.cores,
                                         replicas=options.replicas, interval=options.interval)
                    tally.add(run.seconds, prediction)
                    if options.verbose:
                        mean, low, high = prediction
                        print(f"  {run.name:32s} real {1e3 * run.seconds:8.1f} ms, predicted {1e3 * mean:8.1f}, "
                              f"{1e3 * low:8.1f} to {1e3 * high:8.1f}  {100 * (mean / run.seconds - 1):+6.1f} %")
            print(f"{application:9s} by {' + '.join(u.name for u in used)}\n"
                  f"          deviations {variability}\n          {tally}")
            total.merge(tally)
    print(f"all       {total}")
    coverage = total.figures()[2]
    if options.check and abs(coverage - options.interval) > 0.05 + 1 / len(total.errors):
        sys.exit(f"the {100 * options.interval:g} % interval holds {100 * coverage:.1f} % of the runs")


if __name__ == "__main__":
    main()
