# mypy: ignore-errors
"""Draws the figures that the program sends to standard input and writes their bytes to standard output.

Standard input: JSON, [{"format": "svg", "figure": CONTENT}, ...]. Standard output: for each a line with the number of bytes, and
the bytes. Ends with 2 and a line "PLACE: PROBLEM" if an option cannot be followed, with 3 if matplotlib is missing
(`--check` finds out only that). Needs no other part of the package factosim, and no module of the folder that it runs in.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path


def load_package():
    """Returns this folder as a package: the one that surrounds it may have been built for another interpreter."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("factosim_figures", folder / "__init__.py", submodule_search_locations=[str(folder)])
    package = importlib.util.module_from_spec(spec)
    sys.modules["factosim_figures"] = package
    spec.loader.exec_module(package)
    return package


def main():
    sys.path.pop(0)  # this folder
    if any(importlib.util.find_spec(name) is None for name in ("numpy", "matplotlib")):
        return 3
    if sys.argv[1:] == ["--check"]:
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    figures = load_package()
    for job in json.load(sys.stdin.buffer):
        try:
            picture = figures.picture(job["figure"], job["format"])
        except figures.OptionError as error:
            print(error, file=sys.stderr)
            return 2
        sys.stdout.buffer.write(b"%d\n" % len(picture) + picture)
    return 0


sys.exit(main())
