"""Tasks with their times on each kind of processor, as the benchmark heterogeneous-SWF has them (folders formatedTasks).

A line is `ID CPU GPU [GPU2 ...] [PREDECESSORS]`: times in milliseconds, -1 where a processor cannot run the task, and ids with commas
or spaces between. A task without predecessors has one column less, so that the shortest line tells the number of times.
"""

from __future__ import annotations

import re

from ._source import Converted, Format, Graph, Source, Task, of

_LINE = re.compile(r"\d+(\s+-?\d+(\.\d+)?([eE][+-]?\d+)?){2,}(\s*,\s*\d+)*")


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """Returns the lines that hold tasks: number and words, of which a list with commas is several."""
    rows = enumerate(text.splitlines(), 1)
    return [(number, line.replace(",", " , ").split()) for number, line in rows if line.strip() and not line.lstrip().startswith("#")]


def _recognises(head: str) -> bool:
    lines = [line.strip() for line in head.splitlines()[:20] if line.strip() and not line.lstrip().startswith("#")]
    whole = lines if len(head) < 1000 else lines[:-1]
    return bool(whole) and all(_LINE.fullmatch(line) for line in whole) and any("." in line for line in whole)


def _convert(source: Source) -> Converted:
    rows = _rows(source.text)
    graph = Graph(source, FORMAT.name, re.sub(r"\.\w+$", "", source.name.rsplit("/", 1)[-1]))
    times = min((len(row) for _, row in rows), default=0) - 1
    workers = ["cpu", "cuda"] if times <= 2 else ["cpu", *(f"cuda{gpu}" for gpu in range(times - 1))]
    without = dict.fromkeys(workers[:times], 0)
    for line, row in rows:
        if times < 1:
            source.fail(line, "has no time (a line is ID CPU GPU PREDECESSORS). Add it")
        task = graph.add(Task(row[0], "task", line))
        for worker, text in zip(workers, row[1 : times + 1]):
            milliseconds = source.number(line, text, "a time in milliseconds")
            if milliseconds < 0:
                if milliseconds != -1:
                    source.fail(line, f"has the time {text} ms. Give 0 or more, or -1 where the task cannot run")
                without[worker] += 1
            else:
                task.seconds[worker] = float(milliseconds.scaleb(-3))
        if not task.seconds:
            source.fail(line, f'has the task "{task.id}", which no processor can run. Give it a time')
        task.after = [word for word in row[times + 1 :] if word != ","]
    graph.findings.append("ASSUMPTION: times are milliseconds on a core and on a GPU")
    if times > 2:
        graph.findings.append("ASSUMPTION: times after the first are of GPUs of different kinds, cuda0, cuda1, ...")
    for worker, count in without.items():
        if count:
            graph.findings.append(f"{of(count, 'task')} cannot run on {worker}")
    graph.findings.append("has neither kernels nor data: tasks are of one kernel, and nothing is copied or sent")
    return graph.write()


FORMAT = Format("formatted-tasks", "tasks with times of CPU and GPU, heterogeneous-SWF", _recognises, _convert)
