"""Converts the file in standard input, for `factosim convert`. Arguments: its name, its kind or "", a platform and its type of
nodes.

Standard output: JSON with "kind", "ending", "text", "counts", "findings", "summary".
"""

import json
import sys

from . import ConvertError as Problem
from . import Source, converted


def run(name: str, kind: str, platform: str, node_type: str) -> None:
    done = converted(Source(name, sys.stdin.buffer.read(), platform, node_type), kind)
    json.dump({**vars(done), "summary": done.summary}, sys.stdout)
