"""A reader of graphs in JSON lines, of the tests' own."""

import collections
import json


def rows_of(text):
    """The tasks and data of JSON lines, and who waits for whom: by `depends_on`, and through data in the order of the lines."""
    lines = [json.loads(line) for line in text.splitlines()]
    tasks = {line["task"]: line for line in lines if "task" in line}
    before = {name: {d if isinstance(d, str) else d[0] for d in task.get("depends_on", [])} for name, task in tasks.items()}
    writer, readers = {}, collections.defaultdict(set)
    for name, task in tasks.items():
        for datum, mode in task.get("accesses", []):
            before[name] |= {writer[datum]} - {name} if datum in writer else set()
            if "W" in mode:
                before[name] |= readers.pop(datum, set()) - {name}
                writer[datum] = name
            else:
                readers[datum].add(name)
    return tasks, before, {line["data"]: line["bytes"] for line in lines if "data" in line}, lines[0]


def longest(before, seconds):
    end = {}

    def end_of(task):
        if task not in end:
            end[task] = seconds[task] + max(map(end_of, before[task]), default=0)
        return end[task]

    return max(map(end_of, before))
