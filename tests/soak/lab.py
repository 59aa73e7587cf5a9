"""Runs scenarios in a folder of their own, and takes away keys of those that the program refuses."""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "attack"))
import box
from box import Box

box.CPU_LIMIT_S = 10
box.WALL_LIMIT_S = 900  # the cores may be busy with other work
REFUSED = (2, 4)  # not valid, or without a solution
RETRIES = 16


class Run:
    """What a run left: exit code, result without what is measured, bytes of the trace, folder, message."""

    def __init__(self, outcome, folder):
        self.code, self.folder, self.findings = outcome.code, folder, outcome.findings
        self.message = outcome.err.decode("utf-8", "replace")
        self.result = self.trace = None
        if self.code == 0:
            with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
                self.result = json.load(file)
            self.result.pop("simulation", None)
            trace = os.path.join(folder, "run.trace")
            if os.path.exists(trace):
                with open(trace, "rb") as file:
                    self.trace = file.read()

    @property
    def makespan(self):
        return self.result["makespan_s"]

    def options(self, *path):
        value = self.result.get("provenance", {}).get("options", {})
        for key in path:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        return value


class Lab:
    """A folder with the files of a case; every command that breaks a promise (time, memory, exit code, files) is noted in `findings`."""

    def __init__(self, program):
        self.box, self.findings, self.runs = Box(program), [], 0

    def write(self, files):
        for name, content in files.items():
            self.box.write(name, content if isinstance(content, (str, bytes)) else json.dumps(content))

    def call(self, arguments, environment=None, allowed=(0,)):
        self.runs += 1
        outcome = self.box.run([*arguments], environment=environment)
        self.findings += [f"{each} ({arguments[0]})" for each in outcome.findings]
        return outcome

    def path(self, *names):
        return self.box.path(*names)

    def run(self, files, name, arguments=(), environment=None):
        """Runs the s.json of the files into the folder `name`."""
        self.write(files)
        folder = self.path("out", name)
        shutil.rmtree(folder, ignore_errors=True)
        return Run(self.call(["run", self.path("in", "s.json"), "--out", folder, *arguments], environment), folder)

    def reset(self):
        self.box.reset()
        self.findings = []


def removed(files, file, path):
    """Takes a key away; returns whether it was there. A platform of its own becomes the file."""
    place = files.get(file)
    for key in path[:-1]:
        if not isinstance(place, (dict, list)) or (key not in place if isinstance(place, dict) else key >= len(place)):
            return False
        place = place[key]
    if not isinstance(place, dict) or path[-1] not in place:
        return False
    if path == ("platform",):
        place["platform"] = "p.json"
    else:
        del place[path[-1]]
    return True


def blamed(message, trail):
    """The index in the trail of the key that a message names, or of the innermost one around it."""
    for file, pointer in re.findall(r"(\w+\.json)#(/[^ :]*)", message):
        named = tuple(pointer.strip("/").split("/"))
        around = [i for i, (f, path) in enumerate(trail) if f == file and tuple(map(str, path)) == named[:len(path)]]
        if around:
            return max(around, key=lambda i: len(trail[i][1]))
    return None


def accepted(lab, case):
    """Runs a case; while the program refuses it, takes away the key that its message names, else the last ones drawn, more each time.
    Returns the run, or one with code 2 or 4 where nothing is left to take away, and the number of keys taken away."""
    gone, last = 0, 1
    for _ in range(RETRIES):
        run = prepared(lab, case)
        if run.code not in REFUSED or not case.trail:
            return run, gone
        index = blamed(run.message, case.trail)
        if index is not None:
            taken = [case.trail.pop(index)]
        else:
            taken, last = [case.trail.pop() for _ in range(min(last, len(case.trail)))], 2 * last
        gone += sum(removed(case.files, file, path) for file, path in taken)
    return run, gone


def prepared(lab, case):
    """Makes the schedule of a static policy and the trace of a replay, then runs."""
    if case.type_of("scheduler") == "static" and "schedule.json" not in case.files:
        plain = {**case.files, "s.json": {key: value for key, value in case.scenario.items() if key != "scheduler"}}
        lab.write(plain)
        done = lab.call(["schedule", lab.path("in", "s.json"), "--runs", "0", "--jobs", "1", "--set", "/network/model=maxmin", "--force",
                         "--out", lab.path("out", "schedule")])
        if done.code == 0:
            with open(lab.path("out", "schedule", "schedule.json"), encoding="utf-8") as file:
                case.files["schedule.json"] = json.load(file)
    run = lab.run(case.files, "a")
    if case.kind == "trace" and run.code == 0 and run.trace and "run.trace" not in case.files:
        case.files["run.trace"] = run.trace
        keep = {key: value for key, value in case.scenario.items() if key in ("name", "seed")}
        options = {key: value for key, value in case.scenario.items() if key in ("scheduler", "network", "noise")}
        named = case.replay.get("timings") == "platform" or "scheduler" in options and case.nt % 2
        case.files["s.json"] = {**keep, **(options if named else {}), **({"platform": "p.json"} if named else {}), "application": case.replay}
        case.trail += [("s.json", (key,)) for key in [*options, "platform"]] + [("s.json", ("application", key)) for key in case.replay
                                                                            if key not in ("type", "file")]
        return lab.run(case.files, "a")
    return run
