# mypy: ignore-errors
"""Joins the recordings of a program as each of its ranks, for `factosim record --each-rank`. Arguments: their files, in order.

Standard output: JSON with "text", the graph, and numbers of "tasks", "data" and "ranks".
"""

import json
import sys
from pathlib import Path

from . import Joined

Problem = ValueError


def run(*names):
    joined = Joined()
    for rank, name in enumerate(names):
        joined.add(rank, [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()])
    text = "".join(json.dumps(line) + "\n" for line in joined.lines(len(names)))
    json.dump({"tasks": joined.tasks, "data": len(joined.data), "ranks": len(names), "findings": joined.findings, "text": text}, sys.stdout)
