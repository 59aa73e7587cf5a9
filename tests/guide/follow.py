#!/usr/bin/env python3
"""Follows the documents literally: runs every block of commands in them and compares what is printed.

  follow.py PROGRAM [PAGE...] [--update] [--long] [--jobs N]

PROGRAM is the factosim to use; without pages, all documents are followed. The blocks ```sh of a page run in its order, in
one shell, in a new copy of the project's folders of data, with PROGRAM as `factosim` and as build/release/factosim. The
block ```text after a block of commands is what these print, standard output and error together: it is compared exactly,
except that

  ...                     alone on a line stands for any number of lines
  "cost ", "simulated in" and on   to the end of the line: time, speed and memory of the simulation depend on the computer
  "FILE: N runs, SIZE"    the size of a page: it holds these measurements
  "factosim X.Y.Z (...)"  and "SimGrid X.Y.Z": versions
  absolute paths          of the copy (/PATH), of PROGRAM (/PATH/factosim) and of the home folder (/HOME)

A block of another language with the mark `file` is written to that file first. Blocks ```python run, by the interpreter of
this script, if the modules that they import are installed; factosim is that of PROGRAM. Marks are comments on the line before a block:

  <!-- file: PATH -->         the block is the content of this file
  <!-- exit code: N -->       the commands end with this code instead of 0
  <!-- draws: FILE = PICTURE -->  the commands make this file; PICTURE beside the page is the same
  <!-- needs: NAME -->        the block and the rest of its page run only where this program, or this file below the
                              prefix of PROGRAM (a pattern), is installed
  <!-- long: TIME -->         the block runs only with --long
  <!-- not run: REASON -->    the block does not run

Blocks that do not run are listed with the reason. --update rewrites the blocks ```text in place."""

import argparse
import ast
import concurrent.futures
import difflib
import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import ROOT, blocks, documents

COPIED = ("scenarios", "platforms", "models", "distributions", "simulator/include", "tests/consumer")
LIMIT_S = 600  # of one block


def without_paths(text, folder, program):
    """Replaces the absolute paths of this run by those that a page shows."""
    for path, shown in ((program, "/PATH/factosim"), (folder, "/PATH"), (folder.parent / "home", "/HOME")):
        text = text.replace(str(path), shown)
    return text


def same_picture(one, other):
    """Returns true for the same bytes, and for figures that other versions of matplotlib drew, which are not compared."""
    one, other = one.read_bytes(), other.read_bytes()
    painters = [re.search(rb"Matplotlib v[\d.]+", picture) for picture in (one, other)]
    return one == other or (None not in painters and painters[0][0] != painters[1][0])


def masked(text, folder=Path("/none"), program="/none"):
    """Replaces what depends on the run, as the head of this file lists it."""
    text = without_paths(text, folder, program)
    text = re.sub(r"(^cost  +|simulated in\b).*", r"\1 MEASURED", text, flags=re.M)
    text = re.sub(r"factosim \d+\.\d+\.\d+ \([^)]*\)", "factosim VERSION", text)
    text = re.sub(r"(: \d+ (?:run|sweep)s?), [\d.]+ [kMG]?B$", r"\1, SIZE", text, flags=re.M)
    text = re.sub(r"SimGrid \d+\.\d+(\.\d+)?", "SimGrid VERSION", text)
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def fits(expected, printed):
    """Whether lines equal the expected ones, among which `...` stands for any number of lines."""
    if "..." not in expected:
        return expected == printed
    at = expected.index("...")
    if printed[:at] != expected[:at]:
        return False
    rest = expected[at + 1 :]
    return any(fits(rest, printed[start:]) for start in range(at, len(printed) + 1))


def refreshed(expected, printed):
    """Returns the printed lines, cut where the expected ones have `...`: each part begins at the line most like its first."""
    parts, out, at = [[]], [], 0
    for line in expected:
        parts.append([]) if line == "..." else parts[-1].append(line)
    for index, part in enumerate(parts):
        if index:
            out.append("...")
        if not part:
            continue
        if index == len(parts) - 1 and index:
            at = max(at, len(printed) - len(part))
        elif index:
            alike = lambda i: difflib.SequenceMatcher(None, printed[i], part[0]).ratio()
            at = max(range(at, len(printed)), key=alike, default=at)
        out += printed[at : at + len(part)] if len(parts) > 1 else printed
        at += len(part)
    return out


class Shell:
    """One session of a reader: the folder and the variables of a block are those that the block before left."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        self.state = folder.parent / "state"
        self.state.write_text(f"cd '{folder}'\n")
        tools = folder.parent / "bin"
        tools.mkdir()
        (tools / "factosim").symlink_to(program)
        (tools / "python3").symlink_to(sys.executable)
        (folder / "build/release").mkdir(parents=True)
        (folder / "build/release/factosim").symlink_to(program)
        home = folder.parent / "home"
        home.mkdir()
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "CMAKE_PREFIX_PATH": str(program.parents[1]),
            "PYTHONPATH": ":".join(map(str, python_packages(program))),
        }

    def run(self, commands):
        """Returns the exit code and all that is printed. Stops at the first command that fails."""
        script = f". '{self.state}'\ntrap '{{ export -p; printf \"cd %q\\n\" \"$PWD\"; }} >\"{self.state}\"' EXIT\nset -eo pipefail\n{commands}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT_S,
            text=True,
            errors="replace",
        )
        return done.returncode, done.stdout


def python_packages(program):
    """The folders of the package factosim that belongs to a program: built, or installed with it."""
    return [p.parent for p in (program.parent / "python/factosim", *program.parents[1].glob("lib/python3*/*-packages/factosim")) if p.exists()]


def missing_modules(code, program):
    """The modules that Python code imports and that are not installed."""
    names = [alias.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import) for alias in node.names]
    if "factosim" in names:
        names = ["numpy", *names]
    spec = lambda name: python_packages(program) or None if name == "factosim" else importlib.util.find_spec(name)
    return [name for name in names if spec(name) is None]


def reason_not_to_run(block, options):
    if "not run" in block.marks:
        return block.marks["not run"]
    if "long" in block.marks and not options.long:
        return f"long ({block.marks['long']})"
    if block.language == "python" and (missing := missing_modules(block.text, options.program)):
        return "needs Python's " + ", ".join(missing)
    return None


def follow(page, options):
    """Follows a page. Returns its failures and the blocks that did not run, as lines, and the number of those that did."""
    text = page.read_text()
    name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
    failures, left_out, count, lines = [], [], 0, text.split("\n")
    moved = 0  # by how many lines --update has lengthened the page so far
    all_blocks = blocks(text)
    if not any(block.language in ("sh", "python") for block in all_blocks):
        return failures, left_out, count
    with tempfile.TemporaryDirectory(prefix="follow") as temporary:
        folder = Path(temporary) / "factosim"
        for part in COPIED:
            if (ROOT / part).exists():
                shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("node_modules", "build", "results"))
        shell = Shell(folder, options.program)
        printed = None  # by the last block of commands
        for block in all_blocks:
            place = f"{name}:{block.first}"
            if "file" in block.marks:
                target = folder / block.marks["file"]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text + "\n")
            elif block.language in ("sh", "python"):
                printed = None
                if tool := block.marks.get("needs"):
                    if not (shutil.which(tool) or any(options.program.parents[1].glob(tool))):
                        left_out.append(f"{place}: this and the rest of the page need {tool}")
                        break
                if reason := reason_not_to_run(block, options):
                    left_out.append(f"{place}: {reason}")
                    continue
                commands = block.text
                if block.language == "python":
                    commands = f"python3 - <<'END_OF_PYTHON'\n{block.text}\nEND_OF_PYTHON"
                count += 1
                code, printed = shell.run(commands)
                if code != int(block.marks.get("exit code", 0)):
                    failures.append(f"{place}: ends with {code}\n{block.text}\n{printed}")
                    break
                if "draws" in block.marks:
                    drawn, picture = (Path(part) for part in block.marks["draws"].split(" = "))
                    if not same_picture(folder / drawn, page.parent / picture):
                        if options.update:
                            shutil.copy(folder / drawn, page.parent / picture)
                        else:
                            failures.append(f"{place}: {picture} is not what the page draws")
            elif block.language == "text" and printed is not None:
                expected, got = masked(block.text), masked(printed, folder, options.program)
                if not fits(expected, got):
                    if options.update:
                        new = refreshed(block.text.split("\n"), without_paths(printed, folder, options.program).rstrip("\n").split("\n"))
                        lines[block.first + moved : block.last - 1 + moved] = new
                        moved += len(new) - (block.last - block.first - 1)
                    else:
                        difference = difflib.unified_diff(expected, got, "the page", "printed", lineterm="", n=2)
                        failures.append(f"{place}: something else is printed\n" + "\n".join(difference))
                printed = None
    if options.update and "\n".join(lines) != text:
        page.write_text("\n".join(lines))
        print(f"{name}: rewritten")
    return failures, left_out, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: Path(text).resolve(), help="the factosim to use")
    parser.add_argument("pages", nargs="*", type=lambda text: Path(text).resolve(), help="Markdown files; default: all documents")
    parser.add_argument("--update", action="store_true", help="write what is printed into the pages")
    parser.add_argument("--long", action="store_true", help="run long blocks too")
    parser.add_argument("--jobs", type=int, default=2, help="pages followed at once")
    options = parser.parse_intermixed_args()

    pages = options.pages or documents()
    failed, total = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for failures, left_out, count in pool.map(lambda page: follow(page, options), pages):
            total += count
            failed += failures
            for line in left_out:
                print("not run  " + line)
            for failure in failures:
                print("FAILED   " + failure)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{total} blocks of {len(pages)} pages followed, {len(failed)} failed, {used.ru_utime + used.ru_stime:.0f} s of CPU")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
