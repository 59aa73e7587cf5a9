"""A graph of tasks from its lines, with the dependencies that follow from them, and its longest chain."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from typing import Any, Optional

Line = dict[str, Any]


class GraphError(Exception):
    """A file or tolerance that is wrong, as "PLACE: PROBLEM"."""


class _Datum:
    """The last accesses to a datum, which may run side by side, and those that they wait for."""

    def __init__(self) -> None:
        self.kind, self.users, self.before = "", [], []  # type: str, list[int], list[int]

    def use(self, task: int, mode: str) -> list[int]:
        """Returns the tasks that an access waits for."""
        if not (mode == self.kind and (mode == "R" or "C" in mode or mode == "X")):
            self.before, self.users = self.users, []
        self.kind = mode
        self.users.append(task)
        return self.before


class Program:
    """The tasks of a file in their order. `waits`: [tasks] numbers of the tasks that they wait for, by data or explicitly."""

    def __init__(self, name: str, lines: list[Line]) -> None:
        self.name = name
        self.head = lines[0]
        self.kernels: dict[str, Line] = {}
        self.data: dict[str, Line] = {}
        self.tasks: list[Line] = []
        self.waits: list[set[int]] = []
        self.hints: Counter[str] = Counter()
        self.host_waits: dict[int, Optional[list[int]]] = {}  # [task before which] tasks; None: all
        self._users: defaultdict[str, _Datum] = defaultdict(_Datum)
        self._number: dict[str, int] = {}
        for number, line in enumerate(lines[1:], start=2):
            try:
                self._take(line)
            except (KeyError, TypeError, ValueError) as error:
                raise GraphError(f"{name}#line {number}: is no line of a graph ({error!r}). Record or export it again") from None
        if not self.tasks:
            raise GraphError(f"{name}#: has no task (nothing can be compared). Give another file")

    def _take(self, line: Line) -> None:
        if "task" in line:
            self._take_task(line)
        elif "data" in line:
            self.data[str(line["data"])] = line
        elif "kernel" in line:
            self.kernels[line["kernel"]] = line
        elif "wait" in line:
            self.hints["waits of the host"] += 1
            tasks = None if line["wait"] == "all" else [self._number[str(t)] for t in line["wait"]]
            earlier = self.host_waits.get(len(self.tasks), [])
            self.host_waits[len(self.tasks)] = None if tasks is None or earlier is None else earlier + tasks
        else:
            self.hints.update(key for key in ("wont_use", "flush") if key in line)

    def _take_task(self, line: Line) -> None:
        task = self._number[str(line["task"])] = len(self.tasks)
        line["kernel"] = str(line["kernel"])
        self.tasks.append(line)
        waits: set[int] = set()
        for datum, mode in line.get("accesses", []):
            ordered = line.get("ordered", True) and self.data.get(str(datum), {}).get("ordered", True)
            if ordered and mode != "S":
                waits.update(self._users[str(datum)].use(task, mode))
        for earlier in line.get("depends_on", []):
            name = str(earlier[0] if isinstance(earlier, list) else earlier)
            waits.update([self._number[name]] if name in self._number else [])
        if "submitted_by" in line:
            waits.add(self._number[str(line["submitted_by"])])
        waits.discard(task)
        self.waits.append(waits)
        self.hints.update(key for key in ("wont_use", "flush_inputs", "barrier", "submitted_by") if line.get(key))

    def seconds_of(self, task: Line) -> Optional[float]:
        """Returns the shortest duration of a task that the file states."""
        kernel = self.kernels.get(task["kernel"], {})
        if kernel.get("free"):
            return 0.0
        for line in (task, kernel):
            stated: list[float] = [value for key, value in line.items() if key.endswith("_s") and key.startswith(("cpu", "cuda"))]
            if stated:
                return min(stated)
        return None

    def flops_of(self, task: Line) -> float:
        of_kernel = self.kernels.get(task["kernel"], {})
        return float(task.get("flops", of_kernel.get("flops", 0)))

    def bytes_of(self, task: Line) -> int:
        return sum(self.data.get(str(datum), {}).get("bytes", 0) for datum, _ in task.get("accesses", []))

    def chain(self, costs: list[float]) -> tuple[float, Counter[str]]:
        """Returns the cost of the most expensive chain of tasks that wait for each other, and its tasks by kernel."""
        ends: list[float] = []
        last: list[int] = []  # [tasks] the task before it on its chain; -1: none
        floor, floor_task, longest = 0.0, -1, -1  # after the waits of the host so far
        for task, cost in enumerate(costs):
            if task in self.host_waits:
                awaited = self.host_waits[task]
                latest = longest if awaited is None else max(awaited, key=ends.__getitem__, default=-1)
                if latest >= 0 and ends[latest] > floor:
                    floor, floor_task = ends[latest], latest
            start, before = floor, floor_task
            for other in self.waits[task]:
                if ends[other] > start:
                    start, before = ends[other], other
            ends.append(start + cost)
            last.append(before)
            if longest < 0 or ends[task] > ends[longest]:
                longest = task
        kernels: Counter[str] = Counter()
        task = longest
        while task >= 0:
            kernels[self.tasks[task]["kernel"]] += 1
            task = last[task]
        return ends[longest], kernels


def read(name: str) -> Program:
    """Reads a graph, perhaps compressed. Raises GraphError if it is damaged or of another format."""
    try:
        with open(name, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(name, "rt", encoding="utf-8") if packed else open(name, encoding="utf-8") as text:
            lines = [json.loads(line) for line in text if line.strip()]
    except (OSError, EOFError, ValueError) as error:
        raise GraphError(f"{name}#: cannot be read ({error}). Record or export it again") from None
    if not lines or not all(isinstance(line, dict) for line in lines) or lines[0].get("format") != "factosim-graph":
        raise GraphError(f"{name}#: is no graph in factosim's own form (its first line does not say so). Export it by --format graph-jsonl")
    return Program(name, lines)
