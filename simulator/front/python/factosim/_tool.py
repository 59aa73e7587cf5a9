# mypy: ignore-errors
"""Runs a part of this package for the program: _tool.py PART ARGUMENTS, where PART is a folder with a command.py.

Ends with 2 and a line "PLACE: PROBLEM" where the part refuses its input, with 3 if this Python cannot run it (`--check` finds out
only that). A part needs no other part of the package, which may have been built for another interpreter, and no module of
the folder that it runs in.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path

NEEDS = {"figures": ("numpy", "matplotlib")}  # others: Python 3.9 or later


def can_run(part):
    if part in NEEDS:
        return all(importlib.util.find_spec(name) is not None for name in NEEDS[part])
    return sys.version_info >= (3, 9)


def command_of(part):
    """Returns the module `command` of a part, which is loaded as a package of its own."""
    folder = Path(__file__).resolve().parent / part
    name = f"factosim_{part}"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return importlib.import_module(f"{name}.command")


def main():
    sys.path.pop(0)  # this folder
    part, *arguments = sys.argv[1:]
    if not can_run(part):
        return 3
    if arguments == ["--check"]:
        return 0
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    command = command_of(part)
    try:
        command.run(*arguments)
    except command.Problem as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        return 2
    return 0


sys.exit(main())
