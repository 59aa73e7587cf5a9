"""Runs: what a simulation leaves, as dicts and columns of numpy."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _report
from factosim._arrays import np, npt
from factosim._errors import InputError, writing
from factosim._kinds import checked
from factosim._program import call, call_json

Columns = dict[str, npt.NDArray[Any]]
Series = Union[None, bool, int]


class TemporaryFolder:
    """A folder that is removed with this object, or at the end of the process that made it."""

    parent: Optional[Path] = None  # of all that follow; None: the system's folder

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="factosim-", dir=self.parent))
        self._finalizer = weakref.finalize(self, _remove, self.path, os.getpid())

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self._finalizer()


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # forked processes have a copy of the object
        shutil.rmtree(folder, ignore_errors=True)


class Trace:
    """The columns of run.trace, as the file has them (scenarios/traces.md): `columns["task.start_s"]`.

    `nodes`, `memory_nodes`, `workers` and `kernels` are lists of dicts, `state_names` and `shapes` lists of texts.
    """

    def __init__(self, file: Path) -> None:
        with open(file, "rb") as stream:
            header: dict[str, Any] = json.loads(stream.readline())
            begin = stream.tell()
        data = np.memmap(file, np.uint8, "r", begin)
        self.nodes: list[dict[str, Any]] = header["nodes"]
        self.memory_nodes: list[dict[str, Any]] = header["memory_nodes"]
        self.workers: list[dict[str, Any]] = header["workers"]
        self.kernels: list[dict[str, Any]] = header["kernels"]
        self.state_names: list[str] = header["state_names"]
        self.shapes: list[str] = header["shapes"]  # of handles, by the column "handle.shape"
        self.columns: Columns = {}
        at = 0
        for column in header["columns"]:
            kind = np.dtype(column["type"])
            end = at + kind.itemsize * column["count"]
            # Copied, so that columns are aligned and outlive the file.
            self.columns[column["name"]] = np.frombuffer(data[at:end].tobytes(), kind)
            at = end

    def __repr__(self) -> str:
        return f"<factosim.Trace of {len(self.columns['task.start_s'])} tasks on {len(self.workers)} workers>"

    @checked
    def numbers(self, name: str) -> npt.NDArray[np.int64]:
        """Returns a column of ids by its name; -1 for none. Raises KeyError for a name that is none."""
        ids = self.columns[name].astype(np.int64)
        ids[ids == 0xFFFFFFFF] = -1
        return ids

    def names_of(self, names: list[Any], ids: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Returns the `names` of `ids`, numbers in that list; None for -1. Equal names are one object."""
        table = np.array([*names, None], object)
        return table[ids]


class Run:
    """A run: its result, its tasks and transfers, its page and figures.

    result    the content of result.json
    tasks     a dict of columns of equal length, which pandas.DataFrame takes as it is; so are messages, copies, series
    trace     the columns of run.trace as they are
    folder    where its files are; temporary unless the run was written to a folder
    path      what `factosim report` and `compare` read: the folder, or the trace of another tool
    """

    def __init__(self, folder: Path, kept: Any = None, summary: str = "", path: Optional[Path] = None) -> None:
        self.folder = folder
        self.path = path or folder
        self._kept = kept  # the scenario as it was given, or a temporary folder: removed with this object
        self._summary = summary
        result = folder / "result.json"
        self.result: dict[str, Any] = json.loads(result.read_text()) if result.is_file() else {}
        self._trace: Optional[Trace] = None

    def __repr__(self) -> str:
        name = f" of {self.name!r}" if self.name else ""
        return f"<factosim.Run{name}: {self.makespan_s:.6g} s>"

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self.result.get("name", ""))

    @property
    def makespan_s(self) -> float:
        """The makespan in seconds."""
        return float(self.result["makespan_s"])

    @property
    def gflops(self) -> float:
        """The rate in GFlop/s; NaN for applications without tasks."""
        return float(self.result.get("gflops", math.nan))

    @property
    def bounds(self) -> dict[str, Any]:
        """Lower bounds of the makespan, in seconds; empty for applications without tasks."""
        return dict(self.result.get("bounds", {}))

    @property
    def diagnosis(self) -> str:
        """What limits the run, in a sentence; empty for applications without tasks."""
        return str(self.result.get("diagnosis", {}).get("text", ""))

    @property
    def replicas(self) -> dict[str, Any]:
        """The spread of makespans and rates over the replicas: mean, deviation, intervals, values; empty without replicas."""
        return dict(self.result.get("replicas", {}))

    @property
    def sensitivity(self) -> dict[str, Any]:
        """How far the makespan moves within what is known of durations and overheads; empty without `sensitivity` of `run`."""
        return dict(self.result.get("sensitivity", {}))

    @property
    def interval(self) -> tuple[float, float]:
        """The makespans in seconds between which one further run is predicted to be. Raises InputError without replicas."""
        if not self.replicas:
            raise InputError("run#: has no replicas (one run tells no spread). Pass replicas=20")
        makespan = self.replicas["makespan_s"]
        return float(makespan["prediction_low"]), float(makespan["prediction_high"])

    def summary(self) -> str:
        """Returns what `factosim run` prints of a run; of an opened one, its makespan, diagnosis, bounds and findings."""
        if self._summary:
            return self._summary
        bounds = {"of the problem": "problem_s", "of the distribution": "distribution_s"}
        rows = [("scenario", self.name), ("makespan", f"{self.makespan_s:.4g} s"), ("limit", self.diagnosis)]
        rows += [("bound", f"{self.bounds[key]:.4g} s, {what}") for what, key in bounds.items() if key in self.bounds]
        rows += [("finding", text) for text in self.result.get("findings", [])]
        return "".join(f"{label:<14}{text}\n" for label, text in rows if text)

    @property
    def trace(self) -> Trace:
        """The columns of run.trace. Raises InputError if it was not kept."""
        if self._trace is None:
            file = self.folder / "run.trace"
            if not file.exists():
                raise InputError(f"{self!r}#: keeps no run.trace (the run is large, or asked for none). Pass trace=True")
            self._trace = Trace(file)
        return self._trace

    @property
    def tasks(self) -> Columns:
        """The tasks by number: kernel, node, worker (its name), dates in seconds, priority, and k, m, n."""
        t = self.trace
        c = t.columns
        worker = t.numbers("task.worker")
        node = np.array([w["node"] for w in t.workers] + [-1])[worker]
        out = {
            "task": np.arange(len(worker)),
            "kernel": t.names_of([k["name"] for k in t.kernels], c["task.kernel"].astype(np.int64)),
            "node": node,
            "node_type": t.names_of([n["type"] for n in t.nodes], node),
            "worker": t.names_of([w["name"] for w in t.workers], worker),
            "worker_id": worker,
            "submit_s": c["task.submit_s"],
            "start_s": c["task.start_s"],
            "end_s": c["task.end_s"],
            "duration_s": c["task.end_s"] - c["task.start_s"],
            "priority": c["task.priority"],
        }
        if len(indices := c["task.k_m_n"]) == len(worker):
            out.update({"k": indices[:, 0], "m": indices[:, 1], "n": indices[:, 2]})
        return out

    @property
    def messages(self) -> Columns:
        """The messages between nodes: from, to, dates, bytes, handle, and the tasks that wrote and first read the data."""
        return self._records("message", ("from", "to", "handle", "producer", "consumer"))

    @property
    def copies(self) -> Columns:
        """The copies inside nodes: from and to a memory (with its name and node), dates, bytes and handle."""
        out = self._records("copy", ("from", "to", "handle"))
        memories = self.trace.memory_nodes
        out["node"] = np.array([m["node"] for m in memories] + [-1])[out["from"]]
        for end in ("from", "to"):
            out[end + "_name"] = self.trace.names_of([m["name"] for m in memories], out[end])
        return out

    def _records(self, record: str, ids: tuple[str, ...]) -> Columns:
        out = {i: self.trace.numbers(f"{record}.{i}") for i in ids[:2]}
        for name in ("start_s", "end_s", "size_bytes"):
            out[name] = self.trace.columns[f"{record}.{name}"]
        out.update({i: self.trace.numbers(f"{record}.{i}") for i in ids[2:]})
        return out

    @property
    def accesses(self) -> Columns:
        """The data that tasks access, in the order of their parameters: task, handle, reads, writes."""
        c = self.trace.columns
        packed = c["access.handle_mode"]
        counts = np.diff(c["task.access_begin"].astype(np.int64))
        return {
            "task": np.repeat(np.arange(len(counts)), counts),
            "handle": (packed >> 2).astype(np.int64),
            "reads": (packed & 1).astype(bool),
            "writes": (packed & 2).astype(bool),
        }

    @property
    def dependencies(self) -> Columns:
        """The edges of the task graph: predecessor and task."""
        c = self.trace.columns
        counts = np.diff(c["task.predecessor_begin"].astype(np.int64))
        return {
            "predecessor": c["predecessor.task"].astype(np.int64),
            "task": np.repeat(np.arange(len(counts)), counts),
        }

    @property
    def series(self) -> Columns:
        """Averages over intervals of time for each node: a row for each node and interval. Needs `series` of `run`."""
        series = self._series()
        nodes = series["nodes"]
        names = dict.fromkeys(name for node in nodes for name, values in node.items() if isinstance(values, list))
        count = len(nodes[0]["running_tasks"])
        ends = np.minimum(np.arange(1, count + 1) * series["interval_s"], series["end_s"])
        out: Columns = {"node": np.repeat(np.arange(len(nodes)), count), "end_s": np.tile(ends, len(nodes))}
        for name in names:  # nodes with one memory have no copies
            out[name] = np.concatenate([np.asarray(node.get(name, [0] * count)) for node in nodes])
        return out

    @property
    def iterations(self) -> Columns:
        """Ends of the tasks of each iteration of a factorization. Needs `series` of `run`."""
        rows = self._series()["iterations"]
        return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else [])}

    def _series(self) -> dict[str, Any]:
        file = self.folder / "series.json"
        if not file.exists():
            raise InputError(f"{self!r}#: keeps no series (the run asked for none). Pass series=True")
        out: dict[str, Any] = json.loads(file.read_text())
        return out

    def report(self) -> "_report.Page":
        """Returns the page of the run, which notebooks show."""
        return _report.report(self)

    @checked
    def figure(self, *panels: str, **options: Any) -> "_report.Figure":
        """A figure of panels (`figure_panels()`), which notebooks show; `options` of `figure`."""
        return _report.figure(self, *panels, **options)

    @checked
    def save(self, folder: Union[str, "os.PathLike[str]"]) -> Path:
        """Copies the files of the run to a new folder, for `factosim report`, `compare` and `check`. Raises InputError if it exists."""
        if Path(folder).exists():
            raise InputError(f"{os.fspath(folder)}#: exists already (a run is saved to a new folder). Choose another name")
        with writing(folder):
            return Path(shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("lock")))

    def _repr_html_(self) -> str:
        return _report.short_view(self)

    def __reduce__(self) -> tuple[Any, ...]:
        files = {p.name: p.read_bytes() for p in self.folder.iterdir() if p.is_file()}
        return _unpickled, (files, self._summary, self.result)


def _unpickled(files: dict[str, bytes], summary: str, result: dict[str, Any]) -> Run:
    temporary = TemporaryFolder()
    for name, data in files.items():
        (temporary.path / name).write_bytes(data)
    out = Run(temporary.path, temporary, summary)
    out.result = result
    return out


@checked
def open_run(path: Union[str, "os.PathLike[str]"]) -> Run:
    """Opens a run: a folder that `factosim run --out` has written, or a trace in any format that `factosim report` reads.

    path   the folder, the trace, or a result.json

    The run of a trace has tasks and transfers; its result has the name, the makespan, from the first task on where the trace
    tells no start, and the number of tasks only. Raises InputError for what is no run.
    """
    file = Path(path)
    folder = file.parent if file.name == "result.json" else file
    if (folder / "result.json").is_file():
        return Run(folder)
    temporary = TemporaryFolder()
    native = temporary.path / "run.trace"
    call("export", file, "--format=trace", f"--output={native}", "--quiet")
    out = Run(temporary.path, temporary, path=file)
    same = call_json("compare", native, native, "--no-simulation", "--quiet")
    out.result = {"name": file.name, "makespan_s": same["makespan"]["a_s"], "tasks": len(out.trace.columns["task.start_s"])}
    return out
