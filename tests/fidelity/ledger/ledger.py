#!/usr/bin/env python3
"""A ledger of predictions on real machines: what was predicted, by which version, what the machine did, and how wrong it was.

usage: ledger.py PROGRAM [errors] [--group NAME] [--check] [--verbose]    predicts all cases again, prints their errors
       ledger.py PROGRAM predict ID GROUP KEYS                            adds a case and its prediction, before the run
       ledger.py PROGRAM run ID SECONDS [SECONDS ...]                     adds runs of a case, prints its errors
       ledger.py PROGRAM page FILE                                        writes all cases with their errors as a page

groups.json: machines and what their cases share: "calibrate", the traces on which `factosim calibrate` measures kernels and
machine, or "folder", which has a platform.json; "cores" and "processes"; "interval", that of the prediction (without it the
makespan of one run); "limits", the largest bias and rms and the least share of runs in the interval that --check accepts.
cases.csv: the keys of each case's scenario beside those; what was predicted with which commit and date, empty where runs came
first. runs.csv: seconds and date of each run; those with `use` calibration are in the traces of their group and not compared.
"""
import argparse
import collections
import csv
import datetime
import html
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from prediction import Tally, calibrate, factosim, predict  # noqa: E402

CASES = ["id", "group", "keys", "predicted_s", "low_s", "high_s", "commit", "date"]
RUNS = ["id", "seconds", "use", "date", "note"]


def read(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def append(name, columns, row):
    with open(HERE / name, "a", newline="") as file:
        csv.DictWriter(file, columns, lineterminator="\n").writerow(row)


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def commit():
    """The commit of these files; ends this program if they differ from it, since nobody could predict the same again."""
    def git(*words):
        return subprocess.run(["git", "-C", HERE, *words], capture_output=True, text=True, check=True).stdout.strip()
    if git("status", "--porcelain", "--untracked-files=no", "--", ":!" + str(HERE)):
        sys.exit("files are not committed: commit them before a prediction")
    return git("rev-parse", "--short=10", "HEAD")


class Predictor:
    """Predicts cases of one group, which is calibrated once."""

    def __init__(self, program, group):
        self.program, self.group, self.known = program, group, {}
        self.folder = HERE / group.get("folder", "")
        if "calibrate" in group:
            self.scratch = tempfile.TemporaryDirectory()
            self.folder = pathlib.Path(self.scratch.name)
            calibrate(program, [HERE / trace for trace in group["calibrate"]], self.folder)

    def __call__(self, keys):
        """Returns mean, lower and upper limit in seconds; without an interval the limits are the makespan."""
        if keys not in self.known:
            self.known[keys] = self.simulate(json.loads(keys))
        return self.known[keys]

    def simulate(self, keys):
        if "interval" in self.group:
            return predict(self.program, self.folder, keys, cores=keys.pop("cores", None),
                           processes=self.group.get("processes", 1), interval=self.group["interval"])
        with tempfile.NamedTemporaryFile("w", suffix=".json") as scenario:
            json.dump({"platform": str(self.folder / "platform.json")} | keys, scenario)
            scenario.flush()
            seconds = json.loads(factosim(self.program, "run", scenario.name, "--json", "--quiet"))["makespan_s"]
        return seconds, seconds, seconds


def compared_runs():
    runs = collections.defaultdict(list)
    for run in read("runs.csv"):
        if run["use"] != "calibration":
            runs[run["id"]].append(float(run["seconds"]))
    return runs


def errors(program, only):
    """Yields each compared case with its runs and its prediction by this version, and the tally of each group at its end."""
    runs, groups = compared_runs(), json.loads((HERE / "groups.json").read_text())
    cases = read("cases.csv")
    for name, group in groups.items():
        of_group = [case for case in cases if case["group"] == name and only(case) and runs[case["id"]]]
        if not of_group:
            continue
        predictor, tally = Predictor(program, group), Tally()
        for case in of_group:
            prediction = predictor(case["keys"])
            for seconds in runs[case["id"]]:
                tally.add(seconds, prediction)
            yield name, case, runs[case["id"]], prediction
        yield name, None, tally, group


def percent(predicted, real):
    return f"{100 * (predicted / real - 1):+.1f} %"


def print_errors(program, only, verbose, check):
    failed, total = [], collections.defaultdict(Tally)
    for name, case, of, prediction in errors(program, only):
        if case is None:
            print(f"{name:30s} {of if 'interval' in prediction else of.without_interval()}", flush=True)
            total[prediction.get("part_of", name)].merge(of)
        elif verbose:
            mean, low, high = prediction
            before = f", before the run {case['predicted_s']} ({case['commit']})" if case["predicted_s"] else ""
            print(f"  {case['id']:36s} real {' '.join(f'{s:.4g}' for s in of)} s, predicted {mean:.4g}, {low:.4g} to {high:.4g}{before}")
    limits = json.loads((HERE / "groups.json").read_text())
    for name, tally in total.items():
        most_bias, most_rms, least_held = next(g["limits"] for n, g in limits.items() if g.get("part_of", n) == name)
        if name not in limits:
            print(f"{name:30s} {tally}")
        bias, rms, held = tally.figures()
        if abs(bias) > most_bias or rms > most_rms or held < least_held:
            failed.append(name)
    if check and failed:
        sys.exit(f"worse than documented: {', '.join(failed)}")


def add_prediction(program, name, group, keys):
    groups = json.loads((HERE / "groups.json").read_text())
    if group not in groups:
        sys.exit(f"groups.json has no \"{group}\". Describe its machine there first")
    if any(case["id"] == name for case in read("cases.csv")):
        sys.exit(f"cases.csv has \"{name}\" already. A prediction is not changed afterwards; choose another name")
    made_by = commit()
    predicted = Predictor(program, groups[group])(keys)
    append("cases.csv", CASES, dict(zip(CASES, (name, group, keys, *(f"{s:.6g}" for s in predicted), made_by, today()))))
    print(f"{name}: {predicted[0]:.6g} s, {predicted[1]:.6g} to {predicted[2]:.6g}")


def add_runs(program, name, seconds):
    if all(case["id"] != name for case in read("cases.csv")):
        sys.exit(f"cases.csv has no \"{name}\". Predict it first")
    for value in seconds:
        append("runs.csv", RUNS, {"id": name, "seconds": f"{value:g}", "use": "", "date": today(), "note": ""})
    print_errors(program, lambda case: case["id"] == name, True, False)


def write_page(program, file):
    rows = []
    for name, case, of, prediction in errors(program, lambda case: True):
        if case is None:
            rows.append(f"<tr><th colspan=6>{html.escape(name)}: {of if 'interval' in prediction else of.without_interval()}</th></tr>")
            continue
        real = sum(of) / len(of)
        before = f"{float(case['predicted_s']):.4g} ({percent(float(case['predicted_s']), real)}; {case['commit']})" if case["predicted_s"] else ""
        rows.append(f"<tr><td>{html.escape(case['id'])}<td>{before}<td>{' '.join(f'{s:.4g}' for s in of)}<td>{prediction[0]:.4g}"
                    f"<td>{prediction[1]:.4g} to {prediction[2]:.4g}<td>{percent(prediction[0], real)}</tr>")
    head = "".join(f"<th>{c}</th>" for c in ("case", "predicted before the run, s", "real, s", "predicted now, s", "interval", "error"))
    pathlib.Path(file).write_text(f"<!doctype html><meta charset=utf-8><title>Predictions and runs</title><table>"
                                  f"<tr>{head}</tr>{''.join(rows)}</table>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("command", nargs="?", default="errors", choices=["errors", "predict", "run", "page"])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--group", help="only groups whose name has this")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print each case")
    options = parser.parse_args()
    if options.command == "predict":
        add_prediction(options.program, *options.words)
    elif options.command == "run":
        add_runs(options.program, options.words[0], [float(word) for word in options.words[1:]])
    elif options.command == "page":
        write_page(options.program, *options.words)
    else:
        print_errors(options.program, lambda case: (options.group or "") in case["group"], options.verbose, options.check)


if __name__ == "__main__":
    main()
