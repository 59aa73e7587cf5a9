"""Draws the figures that the program sends to standard input and writes their bytes to standard output.

Standard input: JSON, [{"format": "svg", "figure": CONTENT}, ...]. Standard output: for each a line with the number of bytes, and
the bytes.
"""

import json
import sys

from . import OptionError as Problem
from . import picture


def run() -> None:
    for job in json.load(sys.stdin.buffer):
        drawn = picture(job["figure"], job["format"])
        sys.stdout.buffer.write(b"%d\n" % len(drawn) + drawn)
