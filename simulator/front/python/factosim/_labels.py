"""Runs as the program reads them, named by the keys that differ, or as the caller calls them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factosim import _factosim
from factosim._errors import InputError

if TYPE_CHECKING:
    from factosim._run import Run

_longest = 60  # characters of a name


def labels_of(runs: "Sequence[Run]") -> list[str]:
    """Returns names of runs, by what differs in their options: ["dmdas", "eager"], ["nt=20", "nt=30"]; else their own.

    Of an alternative with a "type", that says enough.
    """
    if len(runs) < 2:
        return [run.name for run in runs]
    options = [_flat(run.result.get("provenance", {}).get("options", {})) for run in runs]
    keys = [key for key in dict.fromkeys(k for o in options for k in o) if len({json.dumps(o.get(key)) for o in options}) > 1]
    types = [key.removesuffix("type") for key in keys if key.endswith("/type") and all(key in o for o in options)]
    keys = [k for k in keys if k.endswith("/type") or not any(k.startswith(at) for at in types)]
    keys = [k for k in keys if not k.startswith(("/outputs/", "/application/file"))]
    known = [k for k in keys if all(k in o for o in options)] or keys
    out = [", ".join(_part(key, o.get(key)) for key in known) for o in options]
    distinct = len(set(out)) == len(out) and all(0 < len(label) <= _longest for label in out)
    return out if distinct else [run.name for run in runs]


def _flat(value: Any, at: str = "") -> dict[str, Any]:
    if not isinstance(value, Mapping) or not value:
        return {at: value}
    return {k: v for key, member in value.items() for k, v in _flat(member, f"{at}/{key}").items()}


def _part(key: str, value: Any) -> str:
    name = key.rsplit("/", 1)[-1]
    text = value if isinstance(value, str) else json.dumps(value)
    return os.path.basename(text) if name in ("type", "file", "platform") else f"{name}={text}"


def as_file(run: "Run", label: str, folder: Path, sources: bool) -> Path:
    """Returns where the program reads a run, which it calls by the label.

    A new folder has the run's files where its result must say something else: its name, or, with `sources`, the files of a
    scenario that was a dict, and of a graph. The trace of another tool, and a result that somebody has altered, stay as they are.
    """
    document: Any = getattr(run, "_kept", None)
    graph = getattr(document, "graph", None) is not None
    is_dict = sources and (graph or getattr(document, "text", None) is not None)
    original = run.folder / "result.json"
    if not original.is_file() or not (is_dict or (label and label != run.name)):
        return run.path
    result = json.loads(json.dumps(run.result))
    if label:
        result["name"] = label
    if is_dict and "provenance" in result:
        if graph:
            result["provenance"] = _with_file(result["provenance"], document.graph_file())
        result["provenance"]["scenario"] = document.on_command_line(any_policy=True)[0]
    folder.mkdir()
    for kept in run.folder.iterdir():
        if kept.name not in ("result.json", "lock"):
            (folder / kept.name).symlink_to(kept.resolve())
    try:
        (folder / "result.json").write_text(_factosim.sealed_result(str(original), json.dumps(result), str(folder)))
    except InputError:
        return run.path
    return folder


def _with_file(value: Any, graph: Any, place: str = "") -> Any:
    """Returns what a result says of a graph as if it had been read from the file; of its timings, the file has its name only."""
    if isinstance(value, Mapping):
        return {k: _with_file(v, graph, f"{place}/{k}") for k, v in value.items()}
    if isinstance(value, list):
        return [_with_file(v, graph, place) for v in value]
    if not isinstance(value, str) or "<graph>" not in value:
        return value
    return value.replace("<graph>", os.path.basename(str(graph)) if place == "/timings/file" else str(graph))
