"""A run of `factosim record`, and programs in C for it."""
import collections
import json
import os
import pathlib
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])


class Recording:
    """What `factosim record` did: its exit code, messages, summary, and the lines of the graph by their first key."""

    def __init__(self, program, *arguments, options=(), environment=None):
        pathlib.Path("graph.jsonl").unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, "record", "-o", "graph.jsonl", "--json", *options, "--", program, *map(str, arguments)],
                              capture_output=True, text=True, errors="replace", env={**os.environ, **(environment or {})})
        self.code, self.error = done.returncode, done.stderr
        self.summary = json.loads(done.stdout) if done.stdout else {}
        self.lines = collections.defaultdict(list)
        self.order = []
        if os.path.exists("graph.jsonl"):
            for line in open("graph.jsonl"):
                entry = json.loads(line)
                self.order.append(entry)
                self.lines[next(iter(entry))].append(entry)
        self.head = self.lines["format"][0]["recorded"] if self.lines["format"] else {}
        self.count = len(self.lines["task"])


def compiled(name, source, *flags, compiler="cc"):
    """Compiles a program in C and returns its path."""
    pathlib.Path(f"{name}.c").write_text(source)
    subprocess.run([compiler, "-w", "-O1", f"{name}.c", "-o", name, *flags], check=True)
    return os.path.abspath(name)
