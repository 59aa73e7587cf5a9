#!/usr/bin/env python3
"""Kills runs and sweeps at random moments and holds what they leave against what undisturbed ones leave:
tests/attack/kills.py PROGRAM [SEED [COUNT [KEEP]]]

Signals KILL, TERM, HUP, INT, QUIT, and STOP followed by KILL, to the process or to one of the processes it has started, up to three
times each sweep; then it is resumed (or run again) to its end. Findings: another table, point or result than that of the undisturbed
one, a file that is no JSON, unfinished files in the end, processes left behind, another end than by the signal.
"""

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import documents
from box import Box, options

SIGNALS = ["KILL", "TERM", "HUP", "INT", "QUIT", "STOP+KILL"]


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def default_signals():
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def without_costs(document):
    """JSON without what two runs may differ in: the costs of the simulation, and a checksum over them."""
    if isinstance(document, dict):
        return {k: without_costs(v) for k, v in document.items() if k not in ("simulation", "checksum")}
    return [without_costs(each) for each in document] if isinstance(document, list) else document


def content(folder):
    """All files below a folder but for the costs of simulations."""
    out = content_as_is(folder)
    for name, data in out.items():
        if name.endswith("result.json") or name.startswith("points/") and name.endswith(".json"):
            out[name] = json.dumps(without_costs(json.loads(data))).encode()
    return out


def content_as_is(folder):
    out = {}
    for here, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(here, name), "rb") as file:
                out[os.path.relpath(os.path.join(here, name), folder)] = file.read()
    return out


class Victim:
    """One command that writes into a folder, and the files it writes there without a signal."""

    def __init__(self, box, name, arguments, again):
        self.box, self.name, self.arguments, self.again = box, name, arguments, again
        self.folder = box.path("out", name)
        began = time.monotonic()
        process = self.start(arguments)
        assert process.wait() == 0, name
        self.length = time.monotonic() - began
        self.expected = content(self.folder)

    def start(self, arguments):
        return subprocess.Popen([self.box.program, *arguments, "--out", self.folder], cwd=self.box.path("cwd"),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True, preexec_fn=default_signals)

    def strike(self, draw, process):
        """Sends a signal after a while; returns what was sent to whom, or nothing if the program had ended."""
        time.sleep(draw.random() * self.length * 1.05)
        if process.poll() is not None:
            return None
        word = draw.choice(SIGNALS)
        pids = children(process.pid)
        at_child = bool(pids) and draw.random() < 0.35
        target = draw.choice(pids) if at_child else process.pid
        for name in word.split("+"):
            try:
                os.kill(target, getattr(signal, "SIG" + name))
            except ProcessLookupError:
                return None
            if name == "STOP":
                time.sleep(0.03)
        return f"{word} to {'a child' if at_child else 'it'}"

    def trial(self, draw):
        """Kills up to three times, then lets it end. Returns (signals, findings)."""
        shutil.rmtree(self.folder, ignore_errors=True)
        sent, findings = [], []
        arguments = self.arguments
        for _ in range(draw.choice([1, 1, 2, 3])):
            process = self.start(arguments)
            what = self.strike(draw, process)
            code = process.wait()
            if what:
                sent.append(what)
                word = what.split()[0].split("+")[-1]
                if what.endswith("it") and code != -getattr(signal, "SIG" + word) and code != 0:
                    findings.append(f"ends with {code} after {what}")
            deadline = time.monotonic() + 3  # its processes end with it
            while self.alive(process.pid) and time.monotonic() < deadline:
                time.sleep(0.02)
            if self.alive(process.pid):
                findings.append(f"leaves processes after {what}")
                os.killpg(process.pid, signal.SIGKILL)
            for name, data in self.left().items():
                if name.endswith((".json", ".jsonl")):
                    try:
                        [json.loads(part) for part in (data.split(b"\n") if name.endswith("l") else [data]) if part]
                    except ValueError:
                        findings.append(f"{name} is torn after {what}")
            arguments = self.again
        if self.start(self.again).wait() != 0:
            findings.append("does not end well when it is started again")
        found = content(self.folder)
        for name in sorted(found.keys() | self.expected.keys()):
            if found.get(name) != self.expected.get(name):
                findings.append(f"{name} {'differs' if name in found and name in self.expected else 'is too much' if name in found else 'is missing'}")
        return sent, findings

    def left(self):
        return {} if not os.path.isdir(self.folder) else {
            name: data for name, data in content_as_is(self.folder).items() if not name.endswith(".part")}

    @staticmethod
    def alive(group):
        try:
            os.killpg(group, 0)
            return True
        except ProcessLookupError:
            return False


def victims(box, seed):
    """A run with all outputs, a sweep of many small points, and one of few larger ones with pages and plots."""
    draw = random.Random(seed)
    described, files = documents.platform(draw, 2)
    for name, content_of in {"p.json": described, **files}.items():
        box.write(name, json.dumps(content_of))
    base = {"format": "factosim-scenario", "version": 1, "platform": "p.json", "application": {"type": "cholesky", "nt": 8, "nb": 100},
            "network": {"model": "maxmin"}}
    outputs = {"trace": True, "starpu": True, "paje": True, "chrome": True, "series": True}
    box.write("run.json", json.dumps({**base, "outputs": outputs, "application": {"type": "cholesky", "nt": 36, "nb": 100}}))
    box.write("s.json", json.dumps(base))
    sweep = {"format": "factosim-sweep", "version": 1, "scenario": "s.json"}
    box.write("many.json", json.dumps({**sweep, "points": {"product": [{"/application/nt": {"from": 2, "to": 13}}, {"/seed": [1, 2, 3, 4]},
                                                                     {"/scheduler/type": ["eager", "dmdas"]}]}}))
    box.write("few.json", json.dumps({**sweep, "points": {"/application/nt": [20, 24, 28, 30, 32]}, "replicas": 2}))
    run = ["run", box.path("in", "run.json")]
    many = ["sweep", box.path("in", "many.json"), "--jobs", "3"]
    few = ["sweep", box.path("in", "few.json"), "--jobs", "2", "--report"]
    return [Victim(box, "run", run, run + ["--force"]), Victim(box, "many", many, many + ["--resume"]), Victim(box, "few", few, few + ["--resume"])]


def main():
    program, seed, count, keep = options(100)
    box = Box(program, keep)
    all_victims = victims(box, seed)
    signals, trials, bad = collections.Counter(), 0, 0
    while sum(signals.values()) < count:
        draw = random.Random(f"{seed} {trials}")
        victim = all_victims[trials % len(all_victims)]
        sent, findings = victim.trial(draw)
        signals.update(sent)
        trials += 1
        if findings:
            bad += 1
            print(f"{seed} {trials - 1} {victim.name} ({', '.join(sent)}): {'; '.join(findings[:6])}", flush=True)
            if keep:
                shutil.copytree(victim.folder, os.path.join(keep, f"kills-{seed}-{trials - 1}"), dirs_exist_ok=True)
    print(f"{sum(signals.values())} signals in {trials} trials, seed {seed}: {bad} trials with findings")
    for name, number in sorted(signals.items()):
        print(f"  {number:4} {name}")
    box.close()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
