"""What results record of runs that Python made: `provenance.python`."""

from __future__ import annotations

import functools
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factosim import _factosim
from factosim._arrays import np

if TYPE_CHECKING:
    from factosim._document import Document


def record(document: "Document", folder: Path) -> None:
    """Adds to the result in a folder the version of Python, the whole scenario if files do not say it, and the class of a policy."""
    out: dict[str, Any] = {"version": platform.python_version()}
    if document.text is not None or document.names:
        whole = json.loads(_factosim.whole_settings(document.text, document.file, document.settings)[1])
        out["scenario"] = _inlined(whole, document.names)
    if document.policy is not None:
        out["policy"] = _name_of(document.policy.make)
    if len(out) == 1 and document.graph is None:
        return  # a file and plain settings: the program does the same
    file = folder / "result.json"
    result = json.loads(file.read_text())
    if "provenance" not in result:
        return
    result["provenance"]["python"] = out
    new = folder / f".result-{os.getpid()}.json"
    new.write_text(_factosim.sealed_result(str(file), json.dumps(result), str(folder)))
    os.replace(new, file)


def _name_of(make: Any) -> str:
    while isinstance(make, functools.partial):
        make = make.func
    named = make if hasattr(make, "__qualname__") else type(make)
    return f"{named.__module__}.{named.__qualname__}"


def _inlined(value: Any, files: Mapping[str, str]) -> Any:
    """Returns a document with the contents of files that were made for values of Python, in their place."""
    if isinstance(value, Mapping):
        if set(value) == {"type", "file"} and value["file"] in files and value["type"] == "file":
            return _map_in(value["file"])
        return {key: _inlined(member, files) for key, member in value.items()}
    if isinstance(value, list):
        return [_inlined(member, files) for member in value]
    if isinstance(value, str) and value in files and value.endswith(".json"):
        return _inlined(json.loads(Path(value).read_text()), files)
    return value


def _map_in(file: str) -> Any:
    """Returns the nodes of the tiles, [mt, nt]."""
    return (np.loadtxt(file, np.int64, skiprows=1, ndmin=2) - 1).tolist()
