"""Compares two graphs of our own form, for `factosim compare`. Arguments: two files, and tolerances ("tasks=0,critical_path=5%").

Standard output: JSON with "a", "b", "changes", "kernels", "tolerance", and "text", the same for people.
"""

import json
import sys

from . import GraphError as Problem
from . import compared, parsed, read


def run(a: str, b: str, tolerance: str) -> None:
    limits = parsed(tolerance)
    json.dump(compared(read(a), read(b), limits), sys.stdout)
