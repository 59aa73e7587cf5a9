# mypy: ignore-errors
"""Joins the recordings of a program as each of its ranks into one graph.

A task of two ranks is one if its kernel and data are the same, as often as it comes; data are the same if their MPI tags are. Each rank
inserts its tasks in the order of the whole program, so that the order of all is one in which each recording is.
"""

import heapq
from collections import Counter


class Place:
    """A line of the joined graph: a task, hint or wait, as ranks have told it."""

    def __init__(self, position, number):
        self.order = (position, number)  # the first place in any recording
        self.told = {}  # [rank] line
        self.after, self.before = set(), 0


class Joined:
    """The union of recordings. Data are named by ("tag", TAG), or, without one, by rank and name."""

    def __init__(self):
        self.head, self.findings = None, []
        self.kernels, self.data, self.places, self.key_of_task, self.times = {}, {}, {}, {}, {}

    def add(self, rank, lines):
        head = lines[0]["recorded"]
        self.head = self.head or lines[0]
        self.findings += [finding for finding in head["findings"] if finding not in self.findings]
        tags = [("tag", tag) if tag >= 0 else (rank, f"d{number}") for number, tag in enumerate(head["tags"])]
        names = {f"d{number}": key for number, key in enumerate(tags)}
        seen, last = Counter(), None
        for position, line in enumerate(lines[1:]):
            if "data" in line:
                line["data"], line["parent"] = names[line["data"]], names.get(line.get("parent"))
                known = self.data.setdefault(line["data"], line)
                known["bytes"] = max(known["bytes"], line["bytes"])
                continue
            if "kernel" in line and "task" not in line:
                self.kernels.setdefault(line["kernel"], line)
                continue
            key = self._localized(rank, line, names)
            seen[key] += 1
            key = (*key, seen[key])
            if "task" in line:
                self.key_of_task[rank, line["task"]] = key
            place = self.places.setdefault(key, Place(position, len(self.places)))
            place.order = min(place.order, (position, place.order[1]))
            place.told[rank] = line
            if last is not None and place not in last.after:
                last.after.add(place)
                place.before += 1
            last = place
        for key, times in seen.items():
            if self.times.setdefault(key, times) != times and key[0] == "task":
                raise ValueError(f"record#: ranks insert a task of {key[1]} differently often ({times} and {self.times[key]} times: which are the "
                                 "same is not known). Record programs in which a rank inserts all tasks on the same data, or none")

    def _localized(self, rank, line, names):
        """Gives the data and tasks in a line names that all recordings share, and returns what tells it from others."""
        for key in ("depends_on", "wait"):
            if isinstance(line.get(key), list):
                line[key] = [self.key_of_task[rank, task] for task in line[key]]
        if "task" in line:
            line["accesses"] = [(names[datum], mode) for datum, mode in line.get("accesses", [])]
            if "submitted_by" in line:
                line["submitted_by"] = self.key_of_task[rank, line["submitted_by"]]
            return "task", line["kernel"], tuple(line["accesses"]), line.get("node")
        hint = next(iter(line))
        line[hint] = names.get(line[hint], line[hint]) if hint != "wait" else line[hint]
        return hint, str(line[hint])

    def ordered(self):
        """Returns the lines in an order in which those of each recording are."""
        ready = [(place.order, place) for place in self.places.values() if place.before == 0]
        heapq.heapify(ready)
        out = []
        while ready:
            _, place = heapq.heappop(ready)
            out.append(place)
            for later in place.after:
                later.before -= 1
                if later.before == 0:
                    heapq.heappush(ready, (later.order, later))
        if len(out) < len(self.places):
            raise ValueError("record#: the ranks insert their common tasks in different orders (there is no order of all). Record the program "
                             "by --ranks without --each-rank if each rank inserts every task")
        return out

    def owner_of(self, line):
        if "node" in line:
            return line["node"]
        written = [datum for datum, mode in line["accesses"] if "W" in mode]
        return self.data[written[0]].get("owner") if written else None

    def lines(self, ranks):
        places = self.ordered()
        names = {key: f"d{number}" for number, key in enumerate(self.data)}
        number = {}  # of tasks by their keys
        for key, place in self.places.items():
            place.key = key
        lost = 0
        rest = []
        for place in places:
            first = next(iter(place.told.values()))
            if "task" not in first:
                hint = next(iter(first))
                value = [number[task] for task in first[hint]] if isinstance(first[hint], list) else names.get(first[hint], first[hint])
                rest.append({hint: value})
                continue
            owner = self.owner_of(first)
            lost += owner is not None and owner not in place.told
            line = dict(place.told.get(owner, first))
            number[place.key] = line["task"] = str(len(number))
            line["accesses"] = [[names[datum], mode] for datum, mode in line["accesses"]]
            line.update({key: [number[task] for task in line[key] if task in number] for key in ("depends_on",) if key in line})
            line.update({key: number[line[key]] for key in ("submitted_by",) if key in line})
            rest.append(line)
        if lost:
            self.findings.append(f"{lost} tasks are not inserted by the rank that runs them: that would wait for ever")
        recorded = {key: value for key, value in self.head["recorded"].items() if key != "tags"}
        yield {**self.head, "recorded": {**recorded, "ranks": ranks, "findings": self.findings}}
        yield from self.kernels.values()
        for key, line in self.data.items():
            parent = line.pop("parent")
            yield {**line, "data": names[key], **({"parent": names[parent]} if parent else {})}
        yield from rest
        self.tasks = len(number)
