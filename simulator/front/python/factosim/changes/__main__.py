# mypy: ignore-errors
"""Compares two graphs of our own form, for `factosim compare`. Arguments: two files, and tolerances ("tasks=0,critical_path=5%").

Standard output: JSON with "a", "b", "changes", "kernels", "tolerance", and "text", the same for people. Ends with 2 and a line
"PLACE: PROBLEM" if a file or a tolerance is wrong (`--check` finds out only whether this Python can). Needs no other part of the
package factosim, and no module of the folder that it runs in.
"""

import importlib.util
import json
import sys
from pathlib import Path


def load_package():
    """Returns this folder as a package: the one that surrounds it may have been built for another interpreter."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("factosim_changes", folder / "__init__.py", submodule_search_locations=[str(folder)])
    package = importlib.util.module_from_spec(spec)
    sys.modules["factosim_changes"] = package
    spec.loader.exec_module(package)
    return package


def main():
    sys.path.pop(0)  # this folder
    if sys.argv[1:] == ["--check"]:
        return 0 if sys.version_info >= (3, 9) else 3
    changes = load_package()
    a, b, tolerance = sys.argv[1:]
    try:
        limits = changes.parsed(tolerance)
        done = changes.compared(changes.read(a), changes.read(b), limits)
    except changes.GraphError as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        return 2
    json.dump(done, sys.stdout)
    return 0


sys.exit(main())
