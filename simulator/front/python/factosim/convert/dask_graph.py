"""Graphs of Dask: dicts of keys and computations, as `dict(collection.__dask_graph__())` has them. Dask itself is not needed.

A computation is a tuple that begins with a function, a list of computations, another key, a value, or an object of Dask that lists its
`dependencies`. Keys in arguments are dependencies, as in Dask. No file can hold a dict of functions safely: these are converted
in Python only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any, Optional

from ._source import Converted, ConvertError, Graph, Source, Task, of


def _name(key: Any) -> str:
    """Returns the name of a key: "x-1f3a" of a text, "x-1f3a,0,1" of a tuple."""
    return ",".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _prefix(key: Any) -> str:
    """Returns what names of one kind of tasks have in common: without numbers of blocks and hashes, as Dask shows them."""
    name = str(key[0] if isinstance(key, tuple) and key else key)
    first, *words = name.split("-")
    kept = itertools.takewhile(lambda word: word.isalpha() and not re.fullmatch(r"[a-f]{8}", word), words)
    return "-".join([first, *kept]) or name


def _dependencies(keys: Mapping[Any, Any], key: Any) -> list[Any]:
    """Returns the keys of which the computation needs the values, in order."""
    computation = keys[key]
    listed = getattr(computation, "dependencies", None)
    if listed is not None and not isinstance(computation, (tuple, list, dict)):
        return sorted((other for other in listed if other in keys), key=_name)
    out: dict[Any, None] = {}
    work = [computation]
    while work:
        value = work.pop()
        if type(value) is tuple and value and callable(value[0]):
            work += reversed(value[1:])
        elif type(value) is list:
            work += reversed(value)
        elif type(value) is dict:
            work += reversed(list(value.values()))
        else:
            try:
                if value in keys:
                    out[value] = None
            except TypeError:  # no hash: no key
                pass
    return list(out)


def _computes(computation: Any) -> bool:
    if type(computation) is list:
        return any(map(_computes, computation))
    return (type(computation) is tuple and bool(computation) and callable(computation[0])) or callable(getattr(computation, "func", None))


def convert_dask(given: Mapping[Any, Any], seconds: Optional[Mapping[str, float]] = None) -> Converted:
    """Makes a graph of a dict of Dask. `seconds`: on a core, by the beginning of a task's name; of several the longest counts."""
    source = Source("graph", b"")
    graph = Graph(source, "dask", "dask")
    times = dict(seconds or {})
    for prefix, value in times.items():
        if not 0 <= value < float("inf"):
            raise ConvertError(f"seconds#/{prefix}: is {value} s. Give 0 or more")
    names: dict[str, Any] = {}
    used: set[str] = set()
    idle: list[str] = []
    for key in given:
        name = _name(key)
        if names.setdefault(name, key) is not key:
            raise ConvertError(f'graph#: has two keys called "{name}" (their parts differ in type only). Rename one')
        task = graph.add(Task(name, _prefix(key), after=[_name(other) for other in _dependencies(given, key)]))
        if not _computes(given[key]):
            task.kernel, task.seconds = "data", {"cpu": 0}
            idle.append(name)
        elif known := [prefix for prefix in times if name.startswith(prefix)]:
            used.add(best := max(known, key=len))
            task.seconds = {"cpu": float(times[best])}
    _find(graph, idle, [prefix for prefix in times if prefix not in used])
    return graph.write()


def _find(graph: Graph, idle: list[str], unused: list[str]) -> None:
    untimed = dict.fromkeys(task.kernel for task in graph.tasks.values() if not task.seconds)
    if idle:
        graph.findings.append(f'{of(len(idle), "key is", "keys are")} a value or another name, "{idle[0]}" first: tasks of no time')
    if untimed:
        graph.findings.append(f"have no time: {', '.join(untimed)}. The platform has to time them, or `seconds`")
    if unused:
        graph.findings.append(f"`seconds` names no task: {', '.join(unused)}")
    graph.findings.append("Dask's graphs have no sizes: nothing is copied or sent")
