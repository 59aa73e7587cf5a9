#!/usr/bin/env python3
"""The workflow for pull requests does what it says: its steps are run here on two versions of a program with tasks of OpenMP.

usage: forecast.py PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import cases
from cases import case, check, contains

PROGRAM = os.path.abspath(sys.argv[1])
WORKFLOW = pathlib.Path(__file__).resolve().parents[2] / "scenarios/guide/forecast.yml"
SOURCE = """#include <stdlib.h>
static void work(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), nb = atoi(argv[2]);
  double *x = calloc(n * nb * nb, sizeof *x);
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++)
#pragma omp task depend(inout: x[i * nb * nb])
      work(x + i * nb * nb, nb * nb);
    WAIT
  }
  return x[0] != 3;
}"""


def scripts():
    """Returns the commands of each step that has a block of them, by its name."""
    return {name: re.sub(r"^ {10}", "", block, flags=re.M) for name, block in
            re.findall(r"- name: (\w+)\n(?: +env:\n(?: {10}.*\n)+)?        run: \|\n((?: {10}.*\n)+)", WORKFLOW.read_text())}


def variables():
    return dict(re.findall(r"^  ([A-Z]+): (.*?) +# HERE", WORKFLOW.read_text(), re.M))


@case
def two_versions_get_a_forecast():
    def git(*arguments):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    commits = []
    for wait in ("", "\n#pragma omp taskwait\n;"):
        pathlib.Path("program.c").write_text(SOURCE.replace("WAIT", wait))
        git("add", "program.c")
        git("commit", "-qm", "a version")
        commits.append(git("rev-parse", "HEAD"))
    steps = scripts()
    check("steps", list(steps), ["install", "record", "simulate"])
    environment = {**os.environ, **variables(), "BASE": commits[0], "HEAD": commits[1], "XDG_CACHE_HOME": os.path.abspath("cache"),
                   "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    for name in ("record", "simulate"):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", steps[name]], env=environment, capture_output=True, text=True)
        check(f"exit code of {name}: {done.stderr}", done.returncode, 0)
    text = pathlib.Path("forecast.md").read_text()
    contains("forecast", text, "longest chain, s", "waits of the host", "mirage\n", "sirocco\n", "Not seen: changes of the runtime's own code")
    check("waits", re.search(r"waits of the host +(\d+) +(\d+)", text).groups(), ("0", "2"))
    check("makespans", len(re.findall(r"^makespan +[\d.]+ \w+ +[\d.]+ \w+ ", text, re.M)), 2)


cases.run()
