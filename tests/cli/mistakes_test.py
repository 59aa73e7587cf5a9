#!/usr/bin/env python3
"""Each of a hundred mistakes gets a message that names its place or value, says why, and what to do, and leaves nothing behind.

usage: mistakes_test.py PROGRAM [--show]

--show: prints all messages, to be read. Needs the package factosim.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
import mistakes
from cases import case, check

PROGRAM = os.path.abspath(sys.argv[1])
SHOW = "--show" in sys.argv[2:]
sys.argv[1:] = []

REMEDY = re.compile(r"\b(Add|Check|Choose|Complete|Convert|Correct|Did you mean|Give|Is \S+ meant|Keep|Leave|List|Make JSON|Name|Put|Remove|Rename|See|Use|Write)\b")
WHY = re.compile(r"\(.+\)|is missing|is no \w+|no such file|is not known|stands before|could set|is called|has the unknown")


def judge(name, message, words):
    """Notes what a message lacks."""
    if SHOW:
        print(f"$ {name}\n    {message}")
    for word in words:
        check(f"{name}: {word!r} in {message}", word in message, True)
    check(f"{name}: what to do in {message}", bool(REMEDY.search(message)), True)
    check(f"{name}: why in {message}", bool(WHY.search(message)), True)
    check(f"{name}: fit to read: {message}", len(message) < 1300 and not re.search(r"\d{20}|0x[0-9a-f]{6}|Traceback|std::|terminate", message), True)


def prepare():
    for name, text in mistakes.FILES.items():
        pathlib.Path(name).write_text(text)
    return set(os.listdir())


@case
def mistakes_of_the_command_line_and_files():
    files = prepare() | {"x.json"}
    for content, line, *words in [m for group in (mistakes.SYNTAX, mistakes.KEYS, mistakes.KINDS, mistakes.UNITS, mistakes.NAMES_OF_FILES, mistakes.COMMAND_LINES) for m in group]:
        pathlib.Path("x.json").write_text(content, encoding="utf-8")
        done = subprocess.run([PROGRAM, *line.split()], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        name = f"{line}   {content}" if "x.json" in line else line
        check(f"{name}: exit code of {done.stderr}", done.returncode in (2, 4), True)
        check(f"{name}: begins", done.stderr.startswith("factosim: "), True)
        judge(name, done.stderr.strip(), words)
        check(f"{name}: left behind", set(os.listdir()) - files, set())


@case
def mistakes_in_python():
    prepare()
    for statement, *words in mistakes.PYTHON:
        done = subprocess.run([sys.executable, "-c", "import factosim\n" + statement], capture_output=True, text=True, timeout=60)
        last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
        check(f"{statement}: an InputError: {last}", "InputError: " in last, True)
        judge(statement, last.split("InputError: ")[-1], words)


@case
def interruptions_say_what_is_kept():
    prepare()
    pathlib.Path("long.json").write_text('{"scenario": "lu.json", "points": {"/seed": {"from": 1, "to": 40}}, "set": {"/application/nt": 60}}')
    pathlib.Path("cluster.json").write_text(mistakes.LU.replace('"mirage"', '{"file": "sirocco", "nodes": [{"type": "sirocco", "count": 6}]}'))
    for line, *words in (("sweep long.json --jobs 1 --out done", "done keeps the points", "--resume"), ("schedule lu.json --set nt=20 --seconds 90", "Nothing is kept", "--seconds"),
                         ("advise cluster.json --set nt=40 --seconds 90 --runs 300", "Nothing is kept", "--runs"), ("run lu.json --set nt=60 --replicas 900 --out new/run", "half-written")):
        process = subprocess.Popen([PROGRAM, *line.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(300 if "--out done" in line else 70):  # a sweep has read its points when it makes its folder
            time.sleep(0.1)
            if list(pathlib.Path().glob("done/*")):
                break
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
        check(f"{line}: no empty folder", pathlib.Path("new").exists(), False)
        check(f"{line}: ends by the signal", process.returncode, -signal.SIGINT)
        cases.contains(line, error, "factosim: interrupted. ", *words)


@case
def there_are_a_hundred():
    groups = (mistakes.SYNTAX, mistakes.KEYS, mistakes.KINDS, mistakes.UNITS, mistakes.NAMES_OF_FILES, mistakes.COMMAND_LINES, mistakes.PYTHON)
    check("mistakes", sum(map(len, groups)) >= 100, True)


cases.run()
