#!/usr/bin/env python3
"""Plants one-token changes in the rooms that simulate, one after the other, and counts those that the tests notice.

    tests/mutants.py BUILD [--count 200] [--seed 1] [--tests REGEX ...] [--log FILE] [--only FILE:LINE:COLUMN]

BUILD is a configured build folder of a clone that nobody else uses: its sources change while this runs, and are restored
afterwards, also after Ctrl-C. Each change is built and the tests run, group by group, the quick ones first, until one fails.
The log has a line of JSON for each change; with the same seed and log a second call goes on where the first one stopped.
A change that does not compile is replaced by another one. Survivors are printed at the end: each needs a test of its claim,
or a reason why no result can tell.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["simulator/runtime", "simulator/tasks/plan", "simulator/tasks/bounds", "simulator/tasks/flow", "distributions", "models/applications",
         "platforms"]
EXCHANGED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/",
             "+=": "-=", "-=": "+=", "++": "--", "--": "++", "true": "false", "false": "true", "std::min": "std::max", "std::max": "std::min"}
# Operators between blanks only: brackets of templates, signs and pointers have none on one side.
TOKEN = re.compile(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\||\+=|-=|\+|-|\*)(?= )|(\+\+|--)|\b(true|false|std::min|std::max)\b")
# Contracts and texts are not what a result depends on.
LEFT_OUT = re.compile(r"^\s*(#|//|template|using|static_assert)|FACTOSIM_|operator|throw |fmt::format|fail\(|noexcept")
TESTS = ["kept_combinations|peer_table|formulas|simgrid_versions", "unit", "published|shipped|peer|market|shared_gpus|direct_messages|combinations"]


def without_texts(line):
    """The line with its string literals and comment blanked, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', lambda m: "_" * len(m.group()), line)
    return re.sub(r"//.*", lambda m: " " * len(m.group()), line)


def places():
    """All (file, line, column, token) that can change, in the order of the files."""
    found = []
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.?pp")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if not LEFT_OUT.search(line):
                    found += [(str(file.relative_to(ROOT)), number, m.start(), m.group()) for m in TOKEN.finditer(without_texts(line))]
    return found


def passes(command):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def outcome_of(place, build, tests):
    """Returns "does not compile", "survives", or the tests that noticed the change."""
    name, number, column, token = place
    file = ROOT / name
    original = file.read_text()
    lines = original.splitlines(keepends=True)
    line = lines[number - 1]
    lines[number - 1] = line[:column] + EXCHANGED[token] + line[column + len(token):]
    try:
        file.write_text("".join(lines))
        if not passes(["ninja", "-C", build, "all"]):
            return "does not compile"
        for group in tests:
            if not passes(["ctest", "--test-dir", build, "-R", f"^({group})$", "--stop-on-failure", "--timeout", "900"]):
                return group
        return "survives"
    finally:
        file.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--log", type=pathlib.Path, default=pathlib.Path("mutants.log"))
    parser.add_argument("--only", help="one place, as the log names it")
    given = parser.parse_args()
    order = places()
    random.Random(given.seed).shuffle(order)
    if given.only:
        order = [p for p in order if f"{p[0]}:{p[1]}:{p[2]}" == given.only]
        given.log.unlink(missing_ok=True)
    known = {}
    if given.log.exists():
        known = {entry["place"]: entry for entry in map(json.loads, given.log.read_text().splitlines())}
    counted = collections.Counter()
    survivors = []
    for place in order:
        if counted["noticed"] + counted["survives"] >= given.count:
            break
        name = f"{place[0]}:{place[1]}:{place[2]}"
        entry = known.get(name)
        if entry is None:
            entry = {"place": name, "change": f"{place[3]} -> {EXCHANGED[place[3]]}", "outcome": outcome_of(place, given.build, given.tests)}
            with given.log.open("a") as log:
                log.write(json.dumps(entry) + "\n")
            print(f"{entry['place']} {entry['change']}: {entry['outcome']}", flush=True)
        kind = entry["outcome"] if entry["outcome"] in ("does not compile", "survives") else "noticed"
        counted[kind] += 1
        if kind == "survives":
            survivors.append(entry)
    print(f"{len(order)} places, seed {given.seed}: {counted['noticed']} noticed, {counted['survives']} survive, "
          f"{counted['does not compile']} do not compile")
    for entry in survivors:
        print(f"  {entry['place']} {entry['change']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
