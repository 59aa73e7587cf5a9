"""Workflows of Pegasus: DAX, XML of the versions 1 to 3.

A job is a task on a core that lasts as long as its attribute `runtime` says, or its profile of that key. A file is a datum of the size
that its writer says; the job that writes it comes before those that read it, as Pegasus adds these dependencies itself. Generated
workflows have files of one name that several jobs write side by side: each is a datum, read by the children of its writer. Entities
are refused, and nothing but the file is read.
"""

from __future__ import annotations

from typing import Optional
from xml.parsers import expat

from ._source import Converted, Format, Graph, Source, Task, of

_MODES = {"input": "R", "output": "W", "inout": "RW", "checkpoint": "RW"}


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.graph = Graph(source, "dax", "")
        self.sizes: dict[str, dict[str, float]] = {}  # of files, as each job says; "": as no job does
        self.open: list[str] = []  # elements around this place
        self.job: Optional[Task] = None
        self.file = self.child = self.key = self.text = ""
        self.parents: list[tuple[str, str, int]] = []  # child, parent, line
        self.workflows = self.unused = 0
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.EntityDeclHandler = self._refuse_entity
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def read(self) -> Graph:
        try:
            self.parser.Parse(self.source.data, True)
        except expat.ExpatError as error:
            self.source.fail(error.lineno, f"is no valid XML ({expat.ErrorString(error.code)}, column {error.offset + 1}). Correct it there")
        except (LookupError, ValueError) as error:  # of Python, about the encoding
            self.source.fail(1, f"cannot be decoded ({error}). Write it in UTF-8")
        return self.graph

    def _refuse_entity(self, name: str, *_: object) -> None:
        self.source.fail(self.line, f'defines the entity "{name[:40]}" (a DAX needs none, and they can fill the memory). Remove it')

    def _start(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rsplit(" ", 1)[-1]
        if not self.open and name != "adag":
            self.source.fail(self.line, f'is a document of "{name[:40]}" (a DAX is one of "adag"). Give a DAX')
        self.open.append(name)
        self.key = self.text = ""
        if name == "adag":
            self.graph.name = given.get("name", "")
        elif name in ("job", "dax", "dag"):
            self._start_job(name, given)
        elif name == "uses" and self.job is not None:
            self._use(given)
        elif name == "file" and len(self.open) == 2:
            self.file = given.get("name", "")
        elif name == "child":
            self.child = self._reference(name, given)
        elif name == "parent" and self.child:
            self.parents.append((self.child, self._reference(name, given), self.line))
        elif name in ("metadata", "profile"):
            self.key = given.get("key", "")

    def _reference(self, name: str, given: dict[str, str]) -> str:
        if not given.get("ref"):
            self.source.fail(self.line, f"has a {name} without its attribute ref (the id of a job). Add it")
        return given["ref"]

    def _start_job(self, name: str, given: dict[str, str]) -> None:
        if not given.get("id"):
            self.source.fail(self.line, f"has a {name} without an id. Add it")
        self.workflows += name != "job"
        kernel = given.get("name") or (name if name != "job" else given["id"])
        self.job = self.graph.add(Task(given["id"], kernel, self.line))
        if "runtime" in given:
            self._last(given["runtime"])

    def _last(self, text: str) -> None:
        seconds = self.source.number(self.line, text.strip(), "a runtime in seconds")
        if seconds < 0:
            self.source.fail(self.line, f"has the runtime {seconds} s. Give 0 or more")
        if self.job is not None:
            self.job.seconds = {"cpu": float(seconds)}

    def _use(self, given: dict[str, str]) -> None:
        assert self.job is not None
        self.file = given.get("file", "") or given.get("name", "")
        if not self.file:
            self.source.fail(self.line, "uses a file without a name. Add its attribute name")
        mode = _MODES.get(given.get("link", "none"))
        if mode is None:  # executables, and files that are only mentioned
            self.unused += 1
            return
        known = self.job.accesses.get(self.file, "")
        self.job.accesses[self.file] = mode if known in ("", mode) else "RW"
        if "size" in given:
            self._size(given["size"])

    def _size(self, text: str) -> None:
        size = float(self.source.number(self.line, text.strip(), "a size in bytes"))
        if size > 2**50:
            self.source.fail(self.line, f"has a file of {size:g} bytes (2^50 are the most). Correct it")
        if size >= 0:  # -1: not known
            self.sizes.setdefault(self.file, {})[self.job.id if self.job is not None else ""] = size

    def _characters(self, text: str) -> None:
        if self.key in ("size", "runtime") and len(self.text) < 100:
            self.text += text

    def _end(self, tag: str) -> None:
        name = self.open.pop()
        if self.key == "size" and name == "metadata" and self.file:
            self._size(self.text)
        elif self.key == "runtime" and name == "profile" and self.job is not None:
            self._last(self.text)
        elif name in ("job", "dax", "dag"):
            self.job = None
        elif name == "child":
            self.child = ""
        if name in ("uses", "file"):
            self.file = ""
        if name in ("metadata", "profile"):
            self.key = ""


def _convert(source: Source) -> Converted:
    reader = _Reader(source)
    graph = reader.read()
    for child, parent, line in reader.parents:
        for job in (child, parent):
            if job not in graph.tasks:
                source.fail(line, f'names the job "{job}" (no job has this id). Correct it')
        graph.tasks[child].after.append(parent)
    _find_of_jobs(reader)
    shared = {file: set(jobs) for file, jobs in graph.writers().items() if len(jobs) > 1}
    for task in graph.tasks.values():
        task.accesses = _accesses(task, shared)
    _measure(reader)
    if shared:
        graph.findings.append(f'{of(len(shared), "file is", "files are")} written by several jobs, "{next(iter(shared))}" first: each of '
                              "these has its own, which its children read")
    return graph.write()


def _accesses(task: Task, shared: dict[str, set[str]]) -> dict[str, str]:
    """Returns what a job reads and writes. Of a file that several jobs write, it reads those of its parents."""
    out: dict[str, str] = {}
    for file, mode in task.accesses.items():
        if file not in shared:
            out[file] = mode
            continue
        if "R" in mode:
            out.update({_own(file, parent): "R" for parent in task.after if parent in shared[file]})
        if "W" in mode:
            out[_own(file, task.id)] = "W"
    return out


def _own(file: str, job: str) -> str:
    return f"{file} of {job}"


def _measure(reader: _Reader) -> None:
    """Gives each datum its size: as its writer says, else as the others say."""
    graph = reader.graph
    of_datum: dict[str, dict[str, float]] = {}
    for file, sizes in reader.sizes.items():
        of_datum[file] = sizes
        of_datum.update({_own(file, job): {job: size} for job, size in sizes.items()})
    writers = graph.writers()
    unknown, several = [], []
    for datum in dict.fromkeys(datum for task in graph.tasks.values() for datum in task.accesses):
        sizes = of_datum.get(datum, {})
        written = [sizes[job] for job in writers.get(datum, []) if job in sizes]
        graph.data[datum] = round(written[0] if written else max(sizes.values(), default=0))
        if not sizes:
            unknown.append(datum)
        if len(set(sizes.values())) > 1:
            several.append(datum)
    if unknown:
        graph.findings.append(f'{of(len(unknown), "file has", "files have")} no size, "{unknown[0]}" first: they have 0 bytes')
    if several:
        graph.findings.append(f'{of(len(several), "file has", "files have")} several sizes, "{several[0]}" first: the one of its writer '
                              "counts, or else the largest")


def _find_of_jobs(reader: _Reader) -> None:
    """Says what of jobs is left out, or assumed."""
    graph, findings = reader.graph, reader.graph.findings
    tasks = list(graph.tasks.values())
    untimed = [task for task in tasks if not task.seconds]
    if tasks and len(untimed) == len(tasks):
        findings.append("no job has a runtime: the platform has to time kernels of these names")
    elif untimed:
        for task in untimed:
            task.seconds = {"cpu": 0}
        findings.append(f'{of(len(untimed), "job has", "jobs have")} no runtime, "{untimed[0].id}" first: they take no time')
    listed = {(parent, child) for child, parent, _ in reader.parents}
    through_files = len(graph.carried() - listed)
    if through_files:
        findings.append(f"{of(through_files, 'dependency', 'dependencies')} through files that no child lists as such: kept, as Pegasus does")
    if reader.workflows:
        findings.append(f"{of(reader.workflows, 'workflow')} within the workflow: a task each")
    if reader.unused:
        findings.append(f"{of(reader.unused, 'use')} of files that are neither input nor output: left out")


FORMAT = Format("dax", "Pegasus DAX, XML", lambda head: "<adag" in head or ":adag " in head, _convert)
