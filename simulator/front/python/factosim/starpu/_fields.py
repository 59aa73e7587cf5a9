"""Fields of traces as StarPU and StarVZ name them. Needs no numpy: columns are what has `tolist`."""

from __future__ import annotations

import bisect
import string
from collections.abc import Iterable
from typing import Any, NamedTuple

SPECIAL = '",'  # characters that the fields of StarPU's and StarVZ's files cannot have
MODES = ("", "R", "W", "RW")  # by DataAccess: 1 reads, 2 writes


def listed(array: Any) -> list[Any]:
    """Returns the numbers of a column, a memoryview or an array of numpy."""
    values: list[Any] = array.tolist()
    return values


class Transfer(NamedTuple):
    """A message between nodes, or a copy between memories; -1: none."""

    start: int
    end: int
    start_s: float
    end_s: float
    size: int
    handle: int
    producer: int = -1
    consumer: int = -1


class Hint(NamedTuple):
    """An application's hint that a handle will not be used for a while."""

    node: int
    handle: int
    submit_s: float
    job: int
    submit_order: int


def joined(values: Iterable[Any]) -> str:
    """Returns a list as a field, with spaces between."""
    return " ".join(map(str, values))


def shortest(value: float, unknown: str = "") -> str:
    """Returns the fewest digits that give the number again; `unknown` for NaN."""
    if value != value:
        return unknown
    return repr(value).removesuffix(".0")


def name_in_line(name: str, special: str = "") -> str:
    """Returns a name as a part of a line, as factosim's readers take it: control characters, spaces at the ends, a first sign of
    a formula (= + - @) and the characters of `special` become %XX, and so does a percent sign that would begin such a byte."""
    out = []
    for i, c in enumerate(name):
        control = ord(c) < 0x20 or ord(c) == 0x7F
        at_end = c == " " and i in (0, len(name) - 1)
        formula = i == 0 and c in "=+-@\t\r\n"
        out.append(f"%{ord(c):02X}" if control or at_end or formula or _is_escape(name, i) or c in special else c)
    return "".join(out)


def _is_escape(text: str, at: int) -> bool:
    digits = text[at + 1 : at + 3]
    if text[at] != "%" or len(digits) != 2 or not all(d in string.hexdigits for d in digits):
        return False
    value = int(digits, 16)
    return value < 0x20 or value == 0x7F or chr(value) in ' ",%=+-@'


class Fields:
    """The columns of a trace as lists, and the names that StarPU and StarVZ give to its objects."""

    def __init__(self, trace: Any) -> None:
        """Takes a factosim.Trace, or the Columns of a part of the program."""
        self.trace = trace
        c = trace.columns
        tasks = len(c["task.kernel"])

        def column(name: str, unknown: Any) -> list[Any]:
            values: list[Any] = listed(c[name])
            return values or [unknown] * tasks

        self.kernel_of = listed(c["task.kernel"])
        self.worker_of = self._ids("task.worker")
        dates: list[list[float]] = [listed(c[f"task.{name}_s"]) for name in ("submit", "start", "end")]
        self.submit_s, self.start_s, self.end_s = dates
        self.ran = [w >= 0 and start == start and end == end for w, start, end in zip(self.worker_of, self.start_s, self.end_s)]
        self.ran_tasks = [t for t, ran in enumerate(self.ran) if ran]
        self.priority = column("task.priority", 0)
        self.indices = column("task.k_m_n", [-1, -1, -1])
        self.footprint = column("task.footprint", 0)
        self.has_flops = len(c["task.flops"]) > 0
        self.flops: list[float] = column("task.flops", 0.0)
        self.gflop = [flops / 1e9 for flops in self.flops]
        self.tag = column("task.tag", 0)
        self._job = column("task.job", 0)
        self._submit_order = column("task.submit_order", 0)
        self._access_begin, self._accesses = listed(c["task.access_begin"]), listed(c["access.handle_mode"])
        self._predecessor_begin: list[int] = listed(c["task.predecessor_begin"])
        self._predecessors: list[int] = listed(c["predecessor.task"])
        self.handle_size, self.handle_m, self.handle_n = (listed(c[f"handle.{name}"]) for name in ("size_bytes", "m", "n"))
        self.handle_owner = self._ids("handle.owner")
        self._shape_of = listed(c["handle.shape"])
        self._word_of_shape = [name_in_line(shape, " " + SPECIAL) or "0" for shape in trace.shapes]
        self._address = [a or h + 1 for h, a in enumerate(listed(c["handle.address"]))]
        self._tag_of_handle: list[int] = listed(c["handle.tag"])
        # Nodes that run the same program may give the same address to different handles.
        self._own_addresses = len(set(self._address)) == len(self._address)
        self._own_tags = len(trace.nodes) == 1 or all(tag >= 0 for tag in self._tag_of_handle)
        self.kernel_name = [name_in_line(k["name"], SPECIAL) for k in trace.kernels]
        self._name_workers()

    def _ids(self, name: str) -> list[int]:
        """Returns a column of ids; -1 for none."""
        return [-1 if number == 0xFFFFFFFF else number for number in listed(self.trace.columns[name])]

    def _name_workers(self) -> None:
        counts: dict[tuple[int, object], int] = {}

        def number(node: int, kind: object) -> int:
            counts[node, kind] = counts.get((node, kind), -1) + 1
            return counts[node, kind]

        self.memory_number = [number(m["node"], "memory") for m in self.trace.memory_nodes]
        self.worker_number = [number(w["node"], "worker") for w in self.trace.workers]
        self.worker_name = []
        for w in self.trace.workers:
            before = number(w["node"], w["gpu"])
            own = w["name"].removeprefix("cuda" if w["gpu"] else "cpu")
            plain = own != w["name"] and own != "" and all(c in string.digits + "_" for c in own)
            own = own if plain else str(before)
            kind = "CUDA" + own + ("" if "_" in own else "_0") if w["gpu"] else "CPU" + own
            self.worker_name.append(f"{w['node']}_{kind}")

    def memory_manager(self, memory: int) -> str:
        return f"{self.trace.memory_nodes[memory]['node']}_MEMMANAGER{self.memory_number[memory]}"

    def node_of(self, task: int) -> int:
        """Returns the node that executed the task; the first one if unknown."""
        worker = self.worker_of[task]
        return int(self.trace.workers[worker]["node"]) if worker >= 0 else 0

    def number(self, task: int) -> int:
        """Returns the number of the task in the source; its place in the trace, from 1, where there is none."""
        return self._job[task] or task + 1

    def job(self, task: int) -> str:
        return f"{self.node_of(task)}_{self.number(task)}"

    def submit_order(self, task: int) -> int:
        return self._submit_order[task] or task + 1

    def accesses(self, task: int) -> list[tuple[int, int]]:
        """Returns the handles that a task accesses and the modes, in the order of its parameters."""
        if not self._access_begin:
            return []
        packed = self._accesses[self._access_begin[task] : self._access_begin[task + 1]]
        return [(p >> 2, p & 3) for p in packed]

    def predecessors(self, task: int) -> list[int]:
        begin = self._predecessor_begin
        return self._predecessors[begin[task] : begin[task + 1]] if begin else []

    def shape(self, handle: int) -> str:
        return str(self.trace.shapes[self._shape_of[handle]])

    def shapes(self, task: int) -> list[str]:
        return [self._word_of_shape[self._shape_of[h]] for h, _ in self.accesses(task)]

    def bytes_of(self, task: int) -> int:
        return sum(max(self.handle_size[h], 0) for h, _ in self.accesses(task))

    def address(self, handle: int) -> int:
        return self._address[handle] if self._own_addresses else handle + 1

    def mpi_tag(self, handle: int) -> int:
        return self._tag_of_handle[handle] if self._own_tags else handle

    def nodes_of_handles(self) -> list[list[int]]:
        """[handles] the nodes that know each: its owner first, then those whose tasks access it, ascending."""
        used: list[set[int]] = [set() for _ in self.handle_size]
        for t in range(len(self.kernel_of)):
            for h, _ in self.accesses(t):
                used[h].add(self.node_of(t))
        return [([o] if o >= 0 else []) + sorted(nodes - {o}) or [0] for o, nodes in zip(self.handle_owner, used)]

    def messages(self) -> list[Transfer]:
        return self._transfers("message", ("producer", "consumer"))

    def copies(self) -> list[Transfer]:
        return self._transfers("copy", ())

    def _transfers(self, record: str, tasks: tuple[str, ...]) -> list[Transfer]:
        ids = [self._ids(f"{record}.{name}") for name in ("from", "to", "handle", *tasks)]
        values = [listed(self.trace.columns[f"{record}.{name}"]) for name in ("start_s", "end_s", "size_bytes")]
        return [Transfer(*row) for row in zip(ids[0], ids[1], *values, *ids[2:])]

    def states(self) -> list[tuple[int, str, float, float]]:
        """Returns what workers did besides tasks: worker, name, start and end in seconds."""
        c = self.trace.columns
        names = [name_in_line(name, SPECIAL) for name in self.trace.state_names]
        rows = zip(*(listed(c[f"state.{name}"]) for name in ("worker", "name", "start_s", "end_s")))
        return [(worker, names[name], start, end) for worker, name, start, end in rows]

    def hints(self) -> list[Hint]:
        c = self.trace.columns
        return [Hint(*row) for row in zip(*(listed(c[f"wont_use.{name}"]) for name in Hint._fields))]

    def tasks_of_workers(self) -> list[list[int]]:
        """[workers] the tasks that ran there, in the order of their starts."""
        out: list[list[int]] = [[] for _ in self.trace.workers]
        for t in self.ran_tasks:
            out[self.worker_of[t]].append(t)
        for tasks in out:
            tasks.sort(key=lambda t: self.start_s[t])
        return out

    def architectures(self) -> list[str]:
        """[workers] "cpu0" for all cores, "cuda1" for the second GPU of a node: workers that share a memory are one."""
        numbers: dict[tuple[int, Any], int] = {}
        gpus: dict[int, int] = {}
        out = []
        for w in self.trace.workers:
            place = (w["node"], w["memory"])
            if w["gpu"] and (place not in numbers or w["memory"] is None):
                numbers[place] = gpus.get(w["node"], 0)
                gpus[w["node"]] = numbers[place] + 1
            out.append(f"cuda{numbers[place]}" if w["gpu"] else "cpu0")
        return out

    def timings(self, architectures: list[str]) -> dict[tuple[int, str, int], tuple[int, float, list[float]]]:
        """Returns the size, the operations and the durations in us of each kernel, architecture and footprint, on the nodes of
        the type of the first."""
        types = [node["type"] for node in self.trace.nodes]
        out: dict[tuple[int, str, int], tuple[int, float, list[float]]] = {}
        for t in self.ran_tasks:
            if types[self.node_of(t)] != types[0]:
                continue
            key = (self.kernel_of[t], architectures[self.worker_of[t]], self.footprint[t])
            out.setdefault(key, (self.bytes_of(t), self.flops[t], []))[2].append((self.end_s[t] - self.start_s[t]) * 1e6)
        return out

    def ready_s(self) -> list[float]:
        """[tasks] the date at which each was submitted, its predecessors had ended and its data were on its node; its start if
        none of these dates is known. Events that began at or after the start do not count, and later dates are the start."""
        arrivals = self._arrivals()
        out = list(self.start_s)
        for t in self.ran_tasks:
            start = self.start_s[t]
            dates = [(self.submit_s[t], self.submit_s[t])]
            dates += [(self.end_s[p], self.start_s[p]) for p in self.predecessors(t) if self.ran[p]]
            node = self.node_of(t)
            keys = [(node, h) for h, mode in self.accesses(t) if mode & 1]
            if any(self.ran[p] and self.node_of(p) != node for p in self.predecessors(t)):
                keys.append((node, -1))  # a message that names no tile
            for key in keys:
                known = arrivals.get(key, [])
                # Rounding: an arrival up to a nanosecond late still counts.
                if last := bisect.bisect_right(known, (start + 1e-9, float("inf"), 0.0)):
                    dates.append((known[last - 1][0], known[last - 1][2]))
            known_dates = [min(date, start) for date, begin in dates if date == date and not begin >= start]
            out[t] = max(known_dates, default=start)
        return out

    def _arrivals(self) -> dict[tuple[int, int], list[tuple[float, int, float]]]:
        """Returns the messages that arrived on a node with a handle (-1: not known): end, number, start; sorted."""
        out: dict[tuple[int, int], list[tuple[float, int, float]]] = {}
        for i, m in enumerate(self.messages()):
            if m.end_s == m.end_s:
                out.setdefault((m.end, m.handle if self._access_begin else -1), []).append((m.end_s, i, m.start_s))
        for known in out.values():
            known.sort()
        return out

