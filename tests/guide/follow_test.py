#!/usr/bin/env python3
"""follow.py accepts pages that are right and refuses those that are wrong, one kind of mistake at a time."""

import subprocess
import sys
import tempfile
from pathlib import Path

FOLLOW = Path(__file__).with_name("follow.py")

# A stand-in for the program: its output has one number that is measured and one that is not.
PROGRAM = """#!/bin/sh
echo "makespan      5.825 s"
echo "cost          $(date +%N) ms CPU"
echo "file $PWD/out.json" >&2
[ "$1" != fail ] || exit 2
"""
RIGHT = "makespan      5.825 s\ncost          1 ms CPU\nfile /PATH/out.json"


def block(language, text, mark=""):
    return f"{mark}\n```{language}\n{text}\n```\n" if mark else f"```{language}\n{text}\n```\n"


CASES = [  # name, page, whether it is right, what the report must contain
    ("the output", block("sh", "factosim run") + block("text", RIGHT), True, "1 blocks"),
    ("a sentence between", block("sh", "factosim run") + "\nIt prints\n\n" + block("text", RIGHT), True, "1 blocks"),
    ("another number", block("sh", "factosim run") + block("text", RIGHT.replace("5.825", "5.826")), False, "-makespan      5.826 s"),
    ("a line less", block("sh", "factosim run") + block("text", RIGHT.partition("\n")[2]), False, "+makespan"),
    ("a line more", block("sh", "factosim run") + block("text", RIGHT + "\nmore"), False, "-more"),
    ("lines left out", block("sh", "factosim run") + block("text", "...\ncost          2 ms CPU\n..."), True, "1 blocks"),
    ("a wrong line among them", block("sh", "factosim run") + block("text", "...\nutilization\n..."), False, "-utilization"),
    ("the wrong order", block("sh", "factosim run") + block("text", "cost  \n...\nmakespan      5.825 s\n..."), False, "something else"),
    ("a command that fails", block("sh", "factosim fail\necho reached"), False, "ends with 2"),
    ("an announced failure", block("sh", "factosim fail", "<!-- exit code: 2 -->"), True, "1 blocks"),
    ("a failure that does not come", block("sh", "factosim run", "<!-- exit code: 2 -->"), False, "ends with 0"),
    ("failure within a pipe", block("sh", "factosim fail | cat"), False, "ends with 2"),
    ("folder and variables stay", block("sh", "mkdir a\ncd a\nexport b=c") + block("sh", "echo $(basename $PWD) $b") + block("text", "a c"), True, "2 blocks"),
    ("a file of the page", block("json", "{}", "<!-- file: x/y.json -->") + block("sh", "cat x/y.json") + block("text", "{}"), True, "1 blocks"),
    ("not run", block("sh", "false", "<!-- not run: needs a cluster -->") + block("text", "x"), True, "needs a cluster"),
    ("long", block("sh", "false", "<!-- long: an hour -->"), True, "long (an hour)"),
    ("a program that is missing", block("sh", "false", "<!-- needs: no-such-tool -->"), True, "need no-such-tool"),
    ("a mark that is not just before", "<!-- not run: no -->\ntext\n" + block("sh", "false"), False, "ends with 1"),
    ("Python", block("python", "print(6 * 7)") + block("text", "42"), True, "1 blocks"),
    ("a module that is missing", block("python", "import no_such_module"), True, "no_such_module"),
    ("a picture", block("sh", "echo new > new.svg", "<!-- draws: new.svg = old.svg -->"), False, "old.svg is not what the page draws"),
]


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = folder / "factosim"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        (folder / "old.svg").write_text("old\n")
        follow = lambda page, *options: subprocess.run(
            [sys.executable, FOLLOW, program, page, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for name, text, right, report in CASES:
            page = folder / "page.md"
            page.write_text(text)
            done = follow(page)
            if (done.returncode == 0) != right or report not in done.stdout:
                wrong += 1
                print(f"{name}: ends with {done.returncode}, expected {'0' if right else '1'} and {report!r} in\n{done.stdout}")
            if right or "ends with" in report:
                continue
            # What --update writes is right, unless a line that was to be found does not exist at all.
            follow(page, "--update")
            if "..." not in text and follow(page).returncode != 0:
                wrong += 1
                print(f"{name}: still wrong after --update:\n{page.read_text()}")
    print(f"{len(CASES) - wrong} of {len(CASES)} cases as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
