#!/usr/bin/env python3
"""Draws scenarios of all features and holds their runs against claims: tests/soak/soak.py PROGRAM [OPTIONS]

A scenario follows from the seed, its number and the features that are wished for: `--seed S --first N --scenarios 1 --wish ...` repeats
it. Three of four scenarios are drawn with wishes: pairs of features that were not drawn together so far. Prints each failure, the claims with
how often each held, failed and did not apply, and how many pairs of features were drawn together; exits with 1 after a failure.
"""

import argparse
import base64
import collections
import contextlib
import datetime
import functools
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import time
import zlib

import coverage
import scenarios
import shrink
import tables
from claims import CLAIMS
from lab import REFUSED, Lab, accepted, prepared

ENDS = "commands end within limits, with exit code 0, 2, 4 or 5"
CANDIDATES = 4  # sets of wishes, of which the one with the most new pairs is taken
SHRUNK_EACH = 2  # failures of one kind that are made small
HERE = pathlib.Path(__file__).resolve().parent


def kind_of(text):
    """What stays the same when a scenario shrinks: the text before the colon, without numbers."""
    return re.sub(r"[\d.]+", "#", text.split(":")[0])


def judged(lab, case, run, name):
    """The verdict of a claim; what it cannot read is a failure too."""
    lab.write(case.files)
    try:
        return CLAIMS[name][1](lab, case, run)
    except (LookupError, ValueError, TypeError, OSError) as error:
        return f"{type(error).__name__} in the claim: {error}"


def verdict(lab, case, name):
    """Runs a case and judges one claim."""
    lab.reset()
    run = prepared(lab, case)
    if name == ENDS:
        return lab.findings[0] if lab.findings else None
    return None if run.code else judged(lab, case, run, name)


@functools.cache
def covering(program):
    return coverage.Coverage(tables.read(program, scenarios.KINDS))


def tried(given, task):
    """Draws and judges one scenario, (number, wishes); returns what the summary counts, and the case."""
    number, wishes = task
    lab, definitions = Lab(given.program), tables.read(given.program, scenarios.KINDS)
    try:
        case, draw = scenarios.drawn(definitions, given.seed, number, given.applications and given.applications.split(","),
                                     covering(given.program).chosen(wishes) if wishes else None)
        run, gone = accepted(lab, case)
        out = {"number": number, "code": run.code, "gone": gone, "kind": case.kind, "wishes": wishes, "verdicts": {}, "message": run.message[-200:]}
        if run.code == 0:
            for name, (share, _) in CLAIMS.items():
                if given.claim in name if given.claim else draw.random() < share or given.all:
                    out["verdicts"][name] = judged(lab, case, run, name)
        out["verdicts"][ENDS] = lab.findings[0] if lab.findings else True
        out["calls"] = lab.runs
        return out, case
    finally:
        lab.box.close()


def made_small(program, case, name, kind):
    lab = Lab(program)
    try:
        def fails(other):
            text = verdict(lab, other, name)
            return isinstance(text, str) and kind_of(text) == kind
        return shrink.shrunk(case, fails) if fails(case) else case
    finally:
        lab.box.close()


def keep(folder, name, case, claim, lines):
    """Writes a case as NAME.json: below tests/soak/kept it becomes a test."""
    folder.mkdir(parents=True, exist_ok=True)
    packed = lambda content: {"base64 of zlib": base64.b64encode(zlib.compress(content, 9)).decode()}
    files = {file: packed(content) if isinstance(content, bytes) else content for file, content in case.files.items()}
    known = {key: getattr(case, key) for key in ("kind", "nodes", "nt", "nb", "defaults")}
    (folder / f"{name}.json").write_text(json.dumps({"claim": claim, "what": lines, **known, "files": files}, indent=1) + "\n")


def kept(file):
    """Reads what `keep` has written: the case and its claim."""
    described = json.loads(file.read_text())
    case = scenarios.Case(described["kind"])
    unpacked = lambda content: zlib.decompress(base64.b64decode(content["base64 of zlib"])) if "base64 of zlib" in content else content
    case.files = {name: unpacked(content) for name, content in described["files"].items()}
    for key in ("nodes", "nt", "nb", "defaults"):
        setattr(case, key, described[key])
    return case, described["claim"]


class Campaign:
    """Counts verdicts, keeps failures."""

    def __init__(self, given):
        self.given, self.coverage, self.began = given, covering(given.program), time.monotonic()
        self.verdicts, self.codes, self.failures = collections.defaultdict(collections.Counter), collections.Counter(), []
        self.applications, self.refusals, self.calls = collections.Counter(), [], 0

    def wishes(self, number):
        """The features that the scenario of a number should have."""
        if self.given.wish or number % 4 == 0 or self.given.applications:
            return self.given.wish or []
        definitions = tables.read(self.given.program, scenarios.KINDS)

        def gain(wishes):
            case, _ = scenarios.drawn(definitions, self.given.seed, number, None, self.coverage.chosen(wishes))
            return sum(pair not in self.coverage.pairs for pair in itertools.combinations(self.coverage.of(case), 2))

        return max((self.coverage.wishes(f"{self.given.seed} {number} {i}") for i in range(CANDIDATES)), key=gain)

    def add(self, out, case):
        self.codes[out["code"]] += 1
        self.calls += out["calls"]
        if out["code"] == 0:
            self.applications[out["kind"]] += 1
            self.coverage.add(self.coverage.of(case))
        elif out["code"] in REFUSED:
            self.refusals.append(f"{self.given.seed} {out['number']} {out['kind']}: {out['message'].strip()}")
        for name, value in out["verdicts"].items():
            self.verdicts[name]["failed" if isinstance(value, str) else "held" if value else "does not apply"] += 1
            if isinstance(value, str):
                self.fail(out, name, value, case)

    def fail(self, out, name, text, case):
        kind, number = kind_of(text), out["number"]
        same = [each for each in self.failures if each["claim"] == name and each["kind"] == kind]
        print(f"{self.given.seed} {number}: {name}: {text}", flush=True)
        failure = {"claim": name, "kind": kind, "text": text, "repeat": " ".join(
            [f"tests/soak/soak.py PROGRAM --seed {self.given.seed} --first {number} --scenarios 1 --all", *(f"--wish '{each}'" for each in out["wishes"])])}
        self.failures.append(failure)
        if len(same) >= SHRUNK_EACH or self.given.no_shrink:
            return
        small = made_small(self.given.program, case, name, kind)
        failure["scenario"] = small.scenario
        print("  " + json.dumps(small.scenario), flush=True)
        if self.given.keep:
            slug = re.sub(r"[^a-z]+", "-", f"{name} {kind}".lower())[:70].strip("-")
            keep(self.given.keep, f"{slug}-{self.given.seed}-{number}", small, name, [text, failure["repeat"]])

    def lines(self):
        """The summary as Markdown."""
        seconds = time.monotonic() - self.began
        total, runs = sum(self.codes.values()), self.codes[0]
        commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
        yield f"# Random scenarios, {datetime.date.today()}, {commit or 'no commit'}\n"
        yield f"Seed {self.given.seed}, from {self.given.first}: {total} scenarios in {seconds / 60:.1f} minutes ({60 * total / max(seconds, 1):.0f} a minute,"
        yield f"{self.calls} commands): {runs} runs, {self.codes[2]} refused, {self.codes[4]} without a solution, {total - runs - self.codes[2] - self.codes[4]} ended otherwise.\n"
        yield "Runs: " + ", ".join(f"{count} {name}" for name, count in self.applications.most_common()) + ".\n"
        yield f"Features drawn: {len(self.coverage.seen)} of {len(self.coverage.names)}; pairs drawn together: {len(self.coverage.pairs)} of"
        yield f"{self.coverage.possible} that the tables do not exclude; wished for {self.coverage.TRIES} times and not accepted: {self.coverage.given_up()}.\n"
        yield "| claim | held | failed | does not apply |\n|---|---|---|---|"
        for name in [ENDS, *CLAIMS]:
            yield "| " + " | ".join([name, *(str(self.verdicts[name][each]) for each in ("held", "failed", "does not apply"))]) + " |"
        if self.failures:
            yield "\n| failure | first | times |\n|---|---|---|"
            for (name, kind), count in collections.Counter((each["claim"], each["kind"]) for each in self.failures).most_common():
                first = next(each for each in self.failures if (each["claim"], each["kind"]) == (name, kind))
                yield f"| {name}: {kind} | `{first['repeat']}` | {count} |"
        never = [name for i, name in enumerate(self.coverage.names) if i not in self.coverage.seen]
        yield "\nNever drawn in a run: " + (", ".join(f"`{name}`" for name in never) or "none") + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--seed", default="1", help="any text, such as a date")
    parser.add_argument("--first", type=int, default=0, help="number of the first scenario")
    parser.add_argument("--scenarios", type=int, default=10 ** 9, help="until --minutes are over by default")
    parser.add_argument("--minutes", type=float, default=10 ** 6, help="until Ctrl-C by default")
    parser.add_argument("--all", action="store_true", help="try all claims on each scenario")
    parser.add_argument("--claim", help="try the claims with this text in their names, and no others")
    parser.add_argument("--applications", help="draw only these, with commas between")
    parser.add_argument("--wish", action="append", help="a feature that scenarios should have, as --pairs names it")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for shrunk failures, one JSON file each")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--summary", type=pathlib.Path, help="Markdown page to write")
    parser.add_argument("--pairs", type=pathlib.Path, help="write the pairs that were never drawn together")
    parser.add_argument("--refusals", type=pathlib.Path, help="write the messages of scenarios that stay refused")
    given = parser.parse_args()
    campaign = Campaign(given)
    numbers = iter(range(given.first, given.first + given.scenarios))
    one = functools.partial(tried, given)
    with multiprocessing.Pool(given.jobs) if given.jobs > 1 else contextlib.nullcontext() as pool:
        try:
            while time.monotonic() - campaign.began < 60 * given.minutes:
                batch = list(itertools.islice(numbers, 8 * given.jobs if pool else 1))
                if not batch:
                    break
                batch = [(number, campaign.wishes(number)) for number in batch]
                for out, case in (pool.imap_unordered if pool else map)(one, batch):
                    campaign.add(out, case)
        except KeyboardInterrupt:
            pass
    text = "\n".join(campaign.lines()) + "\n"
    print(text)
    for path, content in ((given.summary, text), (given.refusals, "\n".join(campaign.refusals) + "\n"),
                          (given.pairs, "".join(f"{a}  {b}\n" for a, b in campaign.coverage.never()) if given.pairs else "")):
        if path:
            path.write_text(content)
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
