#!/usr/bin/env python3
"""Plants one-token changes in the rooms that simulate, all in one build, and counts those that the tests notice.

    tests/mutants.py FOLDER [--count 200] [--seed 1] [--jobs 2] [--only FILE:LINE:COLUMN]

FOLDER gets a clone of this repository, in which the last commit counts. Each changed expression becomes `planted(7) ? changed : original`,
so that one build (of minutes) serves all changes, and a variable of the environment chooses one. Each test runs once without a change and
notes which places it reaches; each change is then tried by the tests that reach it, the quick ones first, until one fails. A test that
lasts much longer than without the change has failed. FOLDER/log has a line of JSON for each change; a second call goes on where the first
one stopped. Survivors are printed at the end: each needs a test of its claim, or a reason why no result can tell.

Needs python3-clang-19, which finds the operands of an operator.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import time

try:
    import clang.cindex as cindex
except ModuleNotFoundError:  # another Python than the system's
    sys.path.append("/usr/lib/python3/dist-packages")
    import clang.cindex as cindex

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["simulator/runtime", "simulator/tasks/plan", "simulator/tasks/bounds", "simulator/tasks/flow", "distributions", "models/applications",
         "platforms"]
EXCHANGED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/",
             "+=": "-=", "-=": "+=", "++": "--", "--": "++", "true": "false", "false": "true", "std::min": "std::max", "std::max": "std::min"}
# Operators between blanks only: brackets of templates, signs and pointers have none on one side.
TOKEN = re.compile(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\||\+=|-=|\+|-|\*)(?= )|(\+\+|--)|\b(true|false|std::min|std::max)\b")
# Contracts and texts are not what a result depends on; a constant expression is evaluated while it is compiled.
LEFT_OUT = re.compile(r"^\s*(#|//|template|using|static_assert)|FACTOSIM_|operator|throw |fmt::format|fail\(|noexcept|constexpr")
PLACES = 1 << 16  # that one build can have
SPARE = 1.3  # places drawn for each change that is asked for: some cannot be planted
PLANTED = """#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace factosim_planted {
/// The number of the change that is active, or -1.
inline int const active = std::getenv("FACTOSIM_PLANTED") ? std::atoi(std::getenv("FACTOSIM_PLANTED")) : -1;
/// A file with a byte for each change, 1 where it was reached.
inline char* const reached = [] {
  char const* const name = std::getenv("FACTOSIM_REACHED");
  int const file = name ? ::open(name, O_RDWR) : -1;
  if (file < 0) return static_cast<char*>(nullptr);
  void* const bytes = ::mmap(nullptr, PLACES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return static_cast<char*>(bytes);
}();
inline bool reach(int number) {
  if (reached) reached[number] = 1;
  return number == active;
}
}  // namespace factosim_planted
constexpr bool planted(int number) { return !__builtin_is_constant_evaluated() && factosim_planted::reach(number); }
"""
# Every test by itself; CTest's suites of the test program are run file by file.
TESTS = "peer_table|simgrid_versions|published|peer|market|shared_gpus|direct_messages|kept_combinations|combinations|formulas|" \
    "networks|faults|schedules|anomalies|lu_study|machine_bandwidths|machine_messages|ledger|papers|plugins"
FILE_BY_FILE = {"published"}


def without_texts(line):
    """The line with its string literals and comment blanked, of the same length."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', lambda m: "_" * len(m.group()), line)
    return re.sub(r"//.*", lambda m: " " * len(m.group()), line)


def places(root):
    """All (file, line, column, token) that can change, in the order of the files."""
    found = []
    for room in ROOMS:
        for file in sorted((root / room).rglob("*.?pp")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if not LEFT_OUT.search(line):
                    found += [(str(file.relative_to(root)), number, m.start(), m.group()) for m in TOKEN.finditer(without_texts(line))]
    return found


class Expressions:
    """The extents of expressions around tokens, by the compiler's syntax tree."""

    def __init__(self, root, commands):
        self.root, self.index = root, cindex.Index.create()
        self.arguments = {}
        for each in json.loads(commands.read_text()):
            words = shlex.split(each["command"])
            self.arguments[each["file"]] = [word for word in words[1:] if word.startswith(("-D", "-I", "-std", "-isystem"))]

    def tree(self, name):
        path = str(self.root / name)
        if path in self.arguments:
            return self.index.parse(path, self.arguments[path])
        near = next(file for file in self.arguments if file.startswith(str(self.root / pathlib.Path(name).parts[0])))
        unit = path + ".unit.cpp"
        return self.index.parse(unit, self.arguments[near], unsaved_files=[(unit, f'#include "{name}"\n')])

    def within(self, cursor, path):
        for child in cursor.get_children():
            file = child.location.file
            if file is not None and file.name == path:
                yield child
                yield from self.within(child, path)

    def around(self, name, tokens):
        """Returns {(line, column): (begin, split, end)} in bytes of the file: of the expression, and of its token."""
        found, path = {}, str(self.root / name)
        text = pathlib.Path(path).read_bytes()
        starts = [0] + [i + 1 for i, byte in enumerate(text) if byte == 10]
        at = {starts[line - 1] + column: (line, column, token) for line, column, token in tokens}
        for cursor in self.within(self.tree(name).cursor, path):
            begin, end = cursor.extent.start.offset, cursor.extent.end.offset
            children = list(cursor.get_children())
            for offset, (line, column, token) in at.items():
                if not begin <= offset < end or not self.fits(cursor, children, text, offset, token):
                    continue
                old = found.get((line, column))
                if old is None or end - begin < old[2] - old[0]:
                    found[line, column] = (begin, offset, end)
        return found

    @staticmethod
    def fits(cursor, children, text, offset, token):
        kind = cursor.kind
        if token in ("true", "false"):
            return kind == cindex.CursorKind.CXX_BOOL_LITERAL_EXPR and cursor.extent.start.offset == offset
        if token in ("++", "--"):
            return kind == cindex.CursorKind.UNARY_OPERATOR and offset in (cursor.extent.start.offset, cursor.extent.end.offset - 2)
        if token.startswith("std::"):
            return kind == cindex.CursorKind.CALL_EXPR and cursor.extent.start.offset == offset
        if kind in (cindex.CursorKind.BINARY_OPERATOR, cindex.CursorKind.COMPOUND_ASSIGNMENT_OPERATOR) and len(children) == 2:
            return children[0].extent.end.offset <= offset < children[1].extent.start.offset
        if kind == cindex.CursorKind.CALL_EXPR and len(children) >= 2:  # an operator of a class
            left, right = children[0].extent.end.offset, children[-1].extent.start.offset
            return left <= offset < right and text[left:right].decode().strip() == token
        return False


def planted(text, changes):
    """The text with its changes, {(begin, offset, end): (number, token)}, the inner ones first."""
    nodes = sorted(changes, key=lambda each: each[2] - each[0])
    edits = {}  # begin, end -> text; an outer expression takes in the inner ones

    def content(begin, end, skip=None):
        out, at = b"", begin
        for (b, e), new in sorted(edits.items()):
            if begin <= b and e <= end and b >= at and (b, e) != skip:
                out, at = out + text[at:b] + new, e
        return out + text[at:end]

    for begin, offset, end in nodes:
        number, token = changes[begin, offset, end]
        left, right = content(begin, offset), content(offset + len(token), end)
        for each in [key for key in edits if begin <= key[0] and key[1] <= end]:
            del edits[each]
        edits[begin, end] = b"(planted(%d) ? %s : %s)" % (number, left + EXCHANGED[token].encode() + right, left + token.encode() + right)
    return content(0, len(text))


def run(command, folder, environment=None, limit_s=None):
    """Returns (passed, seconds, output)."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit_s)
        return process.returncode == 0, time.monotonic() - began, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, time.monotonic() - began, "too long"


class Campaign:
    def __init__(self, folder, given):
        self.folder, self.given = folder, given
        self.clone, self.build = folder / "clone", folder / "build"
        self.log = folder / "log"

    def prepare(self):
        """Clones, plants, builds. Returns the changes: [number] -> "FILE:LINE:COLUMN old -> new", or None for those that do not compile."""
        stored = self.folder / "changes.json"
        if stored.exists():
            return json.loads(stored.read_text())
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", ROOT, self.clone], check=True)
        configure = ["cmake", "-Wno-dev", "--preset", "audit", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DFACTOSIM_DOCUMENTS=OFF"]
        subprocess.run([*configure, "-B", self.folder / "commands"], cwd=self.clone, check=True, stdout=subprocess.DEVNULL)
        order = places(self.clone)
        print(f"{len(order)} places", flush=True)
        random.Random(self.given.seed).shuffle(order)
        only = set(self.given.only or [])
        order = [p for p in order if f"{p[0]}:{p[1]}:{p[2]}" in only] if only else order[:int(SPARE * self.given.count)]
        expressions = Expressions(self.clone, self.folder / "commands" / "compile_commands.json")
        by_file = collections.defaultdict(list)
        for number, place in enumerate(order):
            by_file[place[0]].append((number, place))
        changes, self.texts, self.wanted = [None] * len(order), {}, {}
        for name, entries in sorted(by_file.items()):
            extents = expressions.around(name, [place[1:] for _, place in entries])
            self.texts[name] = (self.clone / name).read_bytes()
            self.wanted[name] = {}
            for number, (_, line, column, token) in entries:
                if (line, column) in extents:
                    self.wanted[name][extents[line, column]] = (number, token)
                    changes[number] = f"{name}:{line}:{column} {token} -> {EXCHANGED[token]}"
            print(f"{name}: {len(self.wanted[name])} of {len(entries)}", flush=True)
        (self.clone / "planted.hpp").write_text(PLANTED.replace("PLACES", str(PLACES)))
        for name in self.wanted:
            self.plant(name)
        subprocess.run([*configure, "-B", self.build, "-DFACTOSIM_QUICK_BUILD=ON", "-DCMAKE_CXX_FLAGS=-Wno-invalid-constexpr -ferror-limit=0"],
                       cwd=self.clone, check=True, stdout=subprocess.DEVNULL)
        while True:
            passed, seconds, output = run(["ninja", "-k", "0", "-C", self.build], self.clone)
            print(f"built in {seconds:.0f} s: {passed}", flush=True)
            if passed:
                break
            self.take_back(output, changes)
        stored.write_text(json.dumps(changes, indent=0))
        return changes

    def plant(self, name):
        text = planted(self.texts[name], self.wanted[name])
        (self.clone / name).write_bytes(b'#include "planted.hpp"\n#line 1\n' + text)

    def take_back(self, output, changes):
        """Removes the changes on the lines that the compiler refuses."""
        refused = {(str(pathlib.Path(file).resolve().relative_to(self.clone)), int(line))
                   for file, line in re.findall(r"^(/[^:\n]+):(\d+):\d+: (?:fatal )?error", output, re.M) if file.startswith(str(self.clone))}
        gone = 0
        for name, wanted in self.wanted.items():
            lines = {line for file, line in refused if file == name}
            for extent in list(wanted):
                begin, end = (self.texts[name].count(b"\n", 0, at) + 1 for at in (extent[0], extent[2]))
                if any(begin <= line <= end for line in lines):
                    changes[wanted.pop(extent)[0]] = None
                    gone += 1
            if lines:
                self.plant(name)
        if not gone:
            sys.exit("The build fails for another reason:\n" + output[-3000:])

    def tests(self):
        """Returns the commands by name: those of CTest, and the test program's files one by one."""
        found = {}
        listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1", "-R", f"^({TESTS})$"], cwd=self.build, capture_output=True,
                                           check=True).stdout)
        for test in listed["tests"]:
            if test["name"] not in FILE_BY_FILE:
                found[test["name"]] = test["command"]
        program = self.build / "tests" / "factosim_tests"
        for file in sorted((self.clone / "tests").glob("*/*_test.cpp")):
            found[f"{file.parent.name}/{file.name}"] = [program, f"--source-file=*/tests/{file.parent.name}/{file.name}", "--no-version", "--minimal"]
        return found

    def reach(self, tests, count):
        """Runs each test without a change. Returns {test: (seconds, numbers of the changes that it reaches)}, of the tests that pass."""
        stored = self.folder / "reached.json"
        known = json.loads(stored.read_text()) if stored.exists() else {}

        def one(name):
            file = self.folder / f"reached-{name.replace('/', '-')}"
            file.write_bytes(bytes(PLACES))
            passed, seconds, _ = run(tests[name], self.build, {"FACTOSIM_REACHED": str(file)}, 1500)
            numbers = [i for i, byte in enumerate(file.read_bytes()[:count]) if byte]
            file.unlink()
            print(f"{name}: {'passed' if passed else 'FAILED'} in {seconds:.1f} s, reaches {len(numbers)}", flush=True)
            return name, [seconds, numbers if passed else []]

        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            for name, value in pool.map(one, [name for name in tests if name not in known]):
                known[name] = value
                stored.write_text(json.dumps(known))
        return known

    def outcome(self, number, tests, reached, after):
        """Returns the test that notices a change, "not reached", "survives", or "open" after --seconds; and the seconds of the tests that
        were tried. Those of the first `after` seconds have been tried before."""
        reaching = sorted((seconds, name) for name, (seconds, numbers) in reached.items() if number in numbers)
        used = 0
        for seconds, name in reaching:
            if self.given.seconds and used + seconds > self.given.seconds:
                return "open", used
            used += seconds
            if used > after and not run(tests[name], self.build, {"FACTOSIM_PLANTED": str(number)}, 20 + 4 * seconds)[0]:
                return name, used
        return "survives" if reaching else "not reached", used

    def hold(self):
        changes = self.prepare()
        tests = self.tests()
        reached = self.reach(tests, len(changes))
        known = {each["change"]: each for each in map(json.loads, self.log.read_text().splitlines())} if self.log.exists() else {}
        numbers = [number for number, change in enumerate(changes) if change is not None][:self.given.count]
        left = [number for number in numbers if known.get(changes[number], {"outcome": "open"})["outcome"] == "open"]
        before = [known.get(changes[number], {}).get("seconds", 0) for number in left]
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool, self.log.open("a") as log:
            outcomes = pool.map(lambda number, after: self.outcome(number, tests, reached, after), left, before)
            for number, (outcome, seconds) in zip(left, outcomes):
                entry = {"change": changes[number], "outcome": outcome, "seconds": seconds,
                         "tests": sum(number in each[1] for each in reached.values())}
                known[changes[number]] = entry
                print(f"{entry['change']}: {outcome}", flush=True)
                log.write(json.dumps(entry) + "\n")
                log.flush()
        entries = [known[changes[number]] for number in numbers]
        alive = [each for each in entries if each["outcome"] in ("survives", "not reached", "open")]
        print(f"{len(entries)} changes, seed {self.given.seed}: {len(entries) - len(alive)} noticed ({1 - len(alive) / max(1, len(entries)):.1%}), "
              f"{len(alive)} survive; {changes.count(None)} of {len(changes)} places cannot be planted")
        for each in alive:
            print(f"  {each['change']} ({each['outcome']}, {each['tests']} tests)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="leave out the slow tests of a change after this time; a call without it tries them")
    parser.add_argument("--only", nargs="+", help="places, as the log names them")
    given = parser.parse_args()
    Campaign(given.folder.resolve(), given).hold()
    return 0


if __name__ == "__main__":
    sys.exit(main())
