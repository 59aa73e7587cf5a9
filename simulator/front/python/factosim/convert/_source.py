"""What converters read and write: a file with its name, and a graph of tasks or a scenario with findings about what is left out."""

from __future__ import annotations

import heapq
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NoReturn, Optional


class ConvertError(Exception):
    """A file that cannot be converted: `FILE#line N: problem (why). what to do`."""


@dataclass(frozen=True)
class Source:
    """A file to convert. `platform`, `node_type`: of a scenario; empty: not given."""

    name: str
    data: bytes
    platform: str = ""
    node_type: str = ""

    @property
    def text(self) -> str:
        return self.data.decode("utf-8-sig", errors="replace")

    def fail(self, line: int, problem: str) -> NoReturn:
        raise ConvertError(f"{self.name}#{f'line {line}' if line else ''}: {problem}")

    def number(self, line: int, text: str, what: str) -> Decimal:
        """Returns a number of the file, which is finite and has no sign but a minus."""
        if not re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text) or not math.isfinite(float(text)):
            self.fail(line, f'has "{text[:40]}" as {what} (it is no number). Correct it')
        return Decimal(text)


@dataclass
class Converted:
    """A file of factosim. `ending`: usual end of its name; `counts`: of what it holds."""

    kind: str
    ending: str
    text: str
    counts: dict[str, int]
    findings: list[str]

    @property
    def summary(self) -> str:
        """The counts in words."""
        return ", ".join(f"{count} {thing}" for thing, count in self.counts.items())


@dataclass(frozen=True)
class Format:
    """A kind of files of another tool."""

    name: str
    meaning: str
    recognises: Callable[[str], bool]  # of the first 64 kB
    convert: Callable[[Source], Converted]


@dataclass
class Task:
    """A task of a graph. `seconds`: by worker, "cpu"; `accesses`: mode, R, W or RW, by datum; `after`: ids."""

    id: str
    kernel: str
    line: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    accesses: dict[str, str] = field(default_factory=dict)
    after: list[str] = field(default_factory=list)


class Graph:
    """Tasks in the order of a file, their data, and findings. `write` makes JSON lines of them (scenarios/graphs.md)."""

    def __init__(self, source: Source, kind: str, name: str) -> None:
        self.source, self.kind, self.name = source, kind, name
        self.tasks: dict[str, Task] = {}
        self.data: dict[str, int] = {}  # bytes
        self.findings: list[str] = []

    def add(self, task: Task) -> Task:
        known = self.tasks.setdefault(task.id, task)
        if known is not task:
            self.source.fail(task.line, f'has the task "{task.id}" again (line {known.line} has it). Rename one')
        return task

    def write(self) -> Converted:
        if not self.tasks:
            self.source.fail(0, "has no task. Give another file")
        head = {"format": "factosim-graph", "version": 2, "name": self.name,
                "recorded": {"converted_from": self.kind, "file": self.source.name.rsplit("/", 1)[-1], "findings": self.findings}}
        lines: list[dict[str, Any]] = [head, *({"data": name, "bytes": size} for name, size in self.data.items())]
        dependencies = 0
        carried = self.carried()
        for task in self._in_order():
            self._check(task)
            after = [before for before in dict.fromkeys(task.after) if (before, task.id) not in carried]
            dependencies += len(after)
            lines.append({"task": task.id, "kernel": task.kernel,
                          **({"accesses": [list(a) for a in task.accesses.items()]} if task.accesses else {}),
                          **({"depends_on": after} if after else {}),
                          **{f"{worker}_s": seconds for worker, seconds in task.seconds.items()}})
        counts = {"tasks": len(self.tasks), "dependencies": dependencies + len(carried), "data": len(self.data)}
        text = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)
        return Converted(self.kind, ".jsonl", text, counts, self.findings)

    def _check(self, task: Task) -> None:
        """Refuses durations that graphs of factosim cannot have."""
        times = list(task.seconds.values())
        if max(times, default=0) > 1e12:
            self.source.fail(task.line, f'has the task "{task.id}" of {max(times):g} s (10^12 s are the most). Correct it')
        if 0 in times and any(times):
            self.source.fail(task.line, f'has the task "{task.id}", which takes no time on one kind of worker, but on another. Give times '
                                        "above 0, or 0 on all")

    def writers(self) -> dict[str, list[str]]:
        """Returns the tasks that write each datum."""
        out: dict[str, list[str]] = {}
        for task in self.tasks.values():
            for datum, mode in task.accesses.items():
                if "W" in mode:
                    out.setdefault(datum, []).append(task.id)
        return out

    def carried(self) -> set[tuple[str, str]]:
        """Returns the pairs of tasks whose second reads what only the first one writes."""
        only = {datum: tasks[0] for datum, tasks in self.writers().items() if len(tasks) == 1}
        return {(only[datum], task.id) for task in self.tasks.values() for datum, mode in task.accesses.items()
                if "R" in mode and only.get(datum, task.id) != task.id}

    def _in_order(self) -> list[Task]:
        """Returns the tasks in the order of the file, but each after those that it waits for."""
        place = {name: number for number, name in enumerate(self.tasks)}
        before: dict[str, set[str]] = {task.id: set(task.after) for task in self.tasks.values()}
        for first, second in self.carried():
            before[second].add(first)
        after: dict[str, list[str]] = {}
        for task, others in before.items():
            for other in others:
                if other not in place:
                    self.source.fail(self.tasks[task].line, f'lets "{task}" wait for the task "{other}" (there is none). Correct it')
                after.setdefault(other, []).append(task)
        open_ = {task: len(others) for task, others in before.items()}
        ready = [place[task] for task, count in open_.items() if count == 0]
        names, out = list(place), []
        while ready:
            task = names[heapq.heappop(ready)]
            out.append(self.tasks[task])
            for other in after.get(task, []):
                open_[other] -= 1
                if open_[other] == 0:
                    heapq.heappush(ready, place[other])
        if len(out) < len(names):
            stuck = next(task for task in names if open_[task] > 0)
            self.source.fail(self.tasks[stuck].line, f'has the task "{stuck}", which waits for itself, through others or not '
                                                     f"({len(names) - len(out)} tasks do, or wait for such). Remove a dependency")
        return out


def of(count: int, thing: str, things: Optional[str] = None) -> str:
    """Returns "1 job", "2 jobs"."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"
