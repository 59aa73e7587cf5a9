# mypy: ignore-errors
"""Converts the file in standard input, for `factosim convert`. Arguments: its name, its kind or "", a platform and its type of
nodes.

Standard output: JSON with "kind", "ending", "text", "counts", "findings", "summary". Ends with 2 and a line "PLACE: PROBLEM" if the
file cannot be converted (`--check` finds out only whether this Python can). Needs no other part of the package factosim, and no
module of the folder that it runs in.
"""

import importlib.util
import json
import sys
from pathlib import Path


def load_package():
    """Returns this folder as a package: the one that surrounds it may have been built for another interpreter."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("factosim_convert", folder / "__init__.py", submodule_search_locations=[str(folder)])
    package = importlib.util.module_from_spec(spec)
    sys.modules["factosim_convert"] = package
    spec.loader.exec_module(package)
    return package


def main():
    sys.path.pop(0)  # this folder
    if sys.argv[1:] == ["--check"]:
        return 0 if sys.version_info >= (3, 9) else 3
    convert = load_package()
    name, kind, platform, node_type = sys.argv[1:]
    try:
        done = convert.converted(convert.Source(name, sys.stdin.buffer.read(), platform, node_type), kind)
    except convert.ConvertError as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        return 2
    json.dump({**vars(done), "summary": done.summary}, sys.stdout)
    return 0


sys.exit(main())
