"""Traces as files of other tools: a table of tasks (CSV), and the folder that StarVZ reads."""

from __future__ import annotations

import gzip
import itertools
import math
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Optional, Union, cast

from factosim._errors import InputError, writing
from factosim._kinds import checked
from factosim._run import Run, Trace
from factosim.starpu import MODES, SPECIAL, Fields, joined, name_in_line, platform, shortest

Source = Union[Run, Trace, str, "os.PathLike[str]"]
Target = Union[str, "os.PathLike[str]"]


def _trace_of(source: Source) -> Trace:
    if isinstance(source, Trace):
        return source
    if isinstance(source, Run):
        return source.trace
    path = Path(source)
    file = path / "run.trace" if path.is_dir() else path
    if not file.is_file():
        raise InputError(f"{file}#: does not exist (columns are read from run.trace). Write it: factosim export RUN --format trace -o run.trace")
    return Trace(file)


def write_whole(file: Path, lines: Iterable[str], force: bool) -> None:
    """Writes a text file that appears complete or not at all, compressed if its name ends in `.gz`."""
    if file.exists() and not force:
        raise InputError(f"{file}#: exists already (it would be replaced). Pass force=True")
    with writing(file):
        number, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(number, "wb") as raw:
            if file.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                    _put(cast(IO[bytes], packed), lines)
            else:
                _put(raw, lines)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise


def _put(stream: IO[bytes], lines: Iterable[str]) -> None:
    rest = iter(lines)
    while some := "".join(itertools.islice(rest, 1000)):
        stream.write(some.encode())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@checked
def write_csv(source: Source, file: Target, force: bool = False) -> Path:
    """Writes the tasks that ran as one table (RFC 4180), with their data and messages; dates in s in full precision.

    source   a run, a trace, the folder of a run, or a run.trace
    file     compressed if its name ends in `.gz`; replaced with `force`

    Columns: scenarios/traces.md#the-table. Unknown values are empty. `factosim` reads the table again. Returns the path. Raises
    InputError if the file exists, or the source has no trace.
    """
    path = Path(file)
    write_whole(path, _rows(_trace_of(source)), force)
    return path


def _rows(trace: Trace) -> Iterator[str]:
    yield ("id,task,node,worker,submit_s,start_s,end_s,depends_on,priority,iteration,m,n,footprint,gflop,handles,"
           "modes,sizes,tiles,owners,messages\n")
    fields = Fields(trace)
    kernels = [_quoted(name_in_line(k["name"])) for k in trace.kernels]
    workers = [_quoted(name_in_line(w["name"])) for w in trace.workers]
    messages = _messages_of_rows(trace, fields)
    for t in fields.ran_tasks:
        worker = fields.worker_of[t]
        iteration, m, n = fields.indices[t]
        cells = [str(t + 1), kernels[fields.kernel_of[t]], str(trace.workers[worker]["node"]), workers[worker]]
        cells += [shortest(column[t]) for column in (fields.submit_s, fields.start_s, fields.end_s)]
        cells.append(joined(p + 1 for p in fields.predecessors(t)))
        cells.append(str(fields.priority[t]))
        cells += ["", "", ""] if iteration < 0 else [str(iteration), str(m), str(n)]
        cells += [f"{fields.footprint[t]:x}", shortest(fields.gflop[t])]
        accesses = fields.accesses(t)
        handles = [handle for handle, _ in accesses]
        cells.append(joined(h + 1 for h in handles))
        cells.append(joined(MODES[mode] for _, mode in accesses))
        cells.append(joined(fields.handle_size[h] for h in handles))
        cells.append(joined(f"{fields.handle_m[h]}/{fields.handle_n[h]}" for h in handles))
        cells.append(joined(fields.handle_owner[h] for h in handles))
        cells.append(" ".join(messages.get(t, ())))
        yield ",".join(cells) + "\n"


def _messages_of_rows(trace: Trace, fields: "Fields") -> dict[int, list[str]]:
    """A message is in the row of the task that sends it; else of the one that reads it; else in the first row."""
    first = next(iter(fields.ran_tasks), 0)
    out: dict[int, list[str]] = {}
    for message in fields.messages():
        row = next((t for t in (message.producer, message.consumer) if t >= 0 and fields.ran[t]), first)
        numbers = f"{message.handle + 1}:{message.producer + 1}:{message.consumer + 1}"
        out.setdefault(row, []).append(f"{message.start}:{message.end}:{shortest(message.start_s, 'nan')}:"
                                       f"{shortest(message.end_s, 'nan')}:{message.size}:{numbers}")
    return out


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


_STATES = "Nature, ResourceId, Type, Start, End, Duration, Depth, Value"


@checked
def write_starvz(source: Source, folder: Target, force: bool = False) -> Path:
    """Writes the folder of CSV files that the first phase of StarVZ reads (`starvz_phase1`, version 0.8.4).

    source   as of `write_csv`
    folder   for the files; those that exist are replaced with `force`

    entities.csv, and compressed: paje.worker_state, paje.comm_state, paje.memory_state,
    paje.other_state, paje.variable (tasks submitted and ready on each node, GFlop/s of each worker), paje.link (messages and
    copies), rec.tasks, rec.data_handles, dag; and platform_file.rec. Times in ms to the nanosecond. Workers are called
    0_CPU0, 0_CUDA0_0 and 0_mpict also for a single node. `factosim` reads the folder again. Returns the folder. Raises
    InputError if a file exists, or the source has no trace.
    """
    trace = _trace_of(source)
    fields = Fields(trace)
    path = Path(folder)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    files: dict[str, Iterable[str]] = {
        "entities.csv": _entities(fields),
        "paje.worker_state.csv.gz": _worker_states(fields),
        # Header only: traces do not contain these.
        "paje.comm_state.csv.gz": [_STATES + "\n"],
        "paje.memory_state.csv.gz": [_STATES + "\n"],
        "paje.other_state.csv.gz": [_STATES + "\n"],
        "paje.variable.csv.gz": _variables(fields),
        "paje.link.csv.gz": _links(fields),
        "rec.tasks.csv.gz": _tasks(fields),
        "rec.data_handles.csv.gz": _handles(fields),
        "dag.csv.gz": _dependencies(fields),
        "platform_file.rec": platform(fields),
    }
    for name in files:
        if (path / name).exists() and not force:
            raise InputError(f"{path / name}#: exists already (it would be replaced). Pass force=True")
    for name, lines in files.items():
        write_whole(path / name, lines, force)
    return path


def _entities(f: Fields) -> Iterator[str]:
    """The tree of containers of a run of StarPU with its kinds of states, links and variables."""

    def container(parent: str, name: str, kind: str) -> str:
        return f"{parent}, {name}, {kind}, Container\n"

    def kind(parent: str, name: str, nature: str) -> str:
        return f"{parent}, {name}, {name}, {nature}\n"

    def workers(parent: str, node: int, memory: Optional[int]) -> Iterator[str]:
        for w, worker in enumerate(f.trace.workers):
            if worker["node"] != node or worker["memory"] != memory:
                continue
            thread = f"{node}_T{f.worker_number[w]}"
            yield container(parent, thread, "Thread") + container(thread, f.worker_name[w], "Worker")
            yield kind(f.worker_name[w], "Worker State", "State") + kind(f.worker_name[w], "GFlops", "Variable")

    yield "Parent, Name, Type, Nature\n0, 0, 0, Container\n0, root, MPI Program, Container\n"
    yield kind("root", "MPI communication", "Link")
    for node in range(len(f.trace.nodes)):
        program, thread, scheduler = f"{node}_program", f"{node}_mpict", f"{node}_scheduler"
        yield container("root", program, "Program") + kind(program, "Intra-node data Fetch", "Link")
        if len(f.trace.nodes) > 1:
            yield container(program, thread, "MPI Communication Thread")
            yield kind(thread, "Communication Thread State", "State")
        yield container(program, scheduler, "Scheduler State") + kind(scheduler, "Number of Ready Tasks", "Variable")
        yield kind(scheduler, "Number of Submitted Uncompleted Tasks", "Variable")
        memories = [m for m, memory in enumerate(f.trace.memory_nodes) if memory["node"] == node]
        for m in memories:
            parent = f"{node}_MEMNODE{f.memory_number[m]}"
            yield container(program, parent, "Memory Node") + container(parent, f.memory_manager(m), "Memory Manager")
            yield kind(f.memory_manager(m), "Memory Node State", "State")
            yield from workers(parent, node, m)
        if not memories:
            yield from workers(program, node, None)


def _span(start_s: float, end_s: float) -> str:
    return f"{start_s * 1e3:.6f}, {end_s * 1e3:.6f}, {(end_s - start_s) * 1e3:.6f}"


def _worker_states(f: Fields) -> Iterator[str]:
    yield _STATES + ", Size, Params, Footprint, Tag, JobId, SubmitOrder, GFlop, X, Y, Iteration, Subiteration\n"
    for worker, state, start_s, end_s in f.states():
        # Writes all columns: multi-threaded CSV readers fail on short rows.
        yield f"State, {f.worker_name[worker]}, Worker State, {_span(start_s, end_s)}, 0.000000, {state}" + ", " * 11 + "\n"
    for tasks in f.tasks_of_workers():
        for t in tasks:
            tile = next((h for h, mode in f.accesses(t) if mode & 2), None)  # the first one that it writes
            place = "-1, -1" if tile is None else f"{f.handle_m[tile]}, {f.handle_n[tile]}"
            yield (f"State, {f.worker_name[f.worker_of[t]]}, Worker State, {_span(f.start_s[t], f.end_s[t])}, 0.000000, "
                   f"{f.kernel_name[f.kernel_of[t]]}, {f.bytes_of(t)}, {'_'.join(f.shapes(t))}, {f.footprint[t]:x}, {f.tag[t]:016x}, "
                   f"{f.job(t)}, {f.node_of(t)}_{f.submit_order(t)}, {f.gflop[t]:.6f}, {place}, {f.indices[t][0]}, -1\n")


def _variables(f: Fields) -> Iterator[str]:
    yield "Nature, ResourceId, Type, Start, End, Duration, Value\n"
    ran = f.ran_tasks
    ready = f.ready_s()
    submitted_steps: list[tuple[int, float, int]] = []
    ready_steps: list[tuple[int, float, int]] = []
    for t in ran:
        node = f.node_of(t)
        submit = f.submit_s[t]
        submitted_steps += [(node, ready[t] if math.isnan(submit) else submit, 1), (node, f.end_s[t], -1)]
        ready_steps += [(node, ready[t], 1), (node, f.start_s[t], -1)]
    end = max((f.end_s[t] for t in ran), default=0.0)
    yield from _levels("Number of Submitted Uncompleted Tasks", submitted_steps, max(end, 0.0))
    yield from _levels("Number of Ready Tasks", ready_steps, max(end, 0.0))
    if not f.has_flops:
        return
    for tasks in f.tasks_of_workers():
        for t in tasks:
            if f.end_s[t] > f.start_s[t] and f.gflop[t] > 0:
                rate = f.gflop[t] / (f.end_s[t] - f.start_s[t])
                yield f"Variable, {f.worker_name[f.worker_of[t]]}, GFlops, {_span(f.start_s[t], f.end_s[t])}, {rate:.6f}\n"


def _levels(what: str, steps: list[tuple[int, float, int]], end: float) -> Iterator[str]:
    """A variable of each node that changes by steps: (node, date, by)."""
    steps.sort(key=lambda step: step[:2])
    for i, (node, date, by) in enumerate(steps):
        if i == 0 or steps[i - 1][0] != node:
            since, level = 0.0, 0
        if date > since:
            yield f"Variable, {node}_scheduler, {what}, {_span(since, date)}, {level:.6f}\n"
        since, level = max(since, date), level + by
        if (i + 1 == len(steps) or steps[i + 1][0] != node) and end > since:
            yield f"Variable, {node}_scheduler, {what}, {_span(since, end)}, {level:.6f}\n"


def _links(f: Fields) -> Iterator[str]:
    yield "Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag\n"
    for i, m in enumerate(f.messages()):
        tag = f.mpi_tag(m.handle) if m.handle >= 0 else -1
        yield (f"Link, root, MPI communication, {_span(m.start_s, m.end_s)}, {_size(m.size)}, {m.start}_mpict, {m.end}_mpict, "
               f"mpicom_{i}, {tag}\n")
    for i, c in enumerate(f.copies()):
        node = f.trace.memory_nodes[c.start]["node"]
        yield (f"Link, {node}_program, Intra-node data Fetch, {_span(c.start_s, c.end_s)}, {c.size}, {f.memory_manager(c.start)}, "
               f"{f.memory_manager(c.end)}, com_{i}, 0\n")


def _size(size: int) -> str:
    return "" if size < 0 else str(size)


def _date(seconds: float) -> str:
    return "" if math.isnan(seconds) else f"{seconds * 1e3:.6f}"


def _tasks(f: Fields) -> Iterator[str]:
    yield ("Control,JobId,SubmitOrder,SubmitTime,Handles,MPIRank,Name,Model,Priority,Tag,WorkerId,MemoryNode,StartTime,EndTime,"
           "Footprint,Parameters,Modes,Sizes,DependsOn,DepLabels,Iteration,GFlop\n")
    for hint in f.hints():
        yield f"WontUse,{hint.job},{hint.submit_order},{_date(hint.submit_s)},{f.address(hint.handle):x},{hint.node}" + "," * 16 + "\n"
    for t in range(len(f.kernel_of)):
        worker = f.worker_of[t]
        memory = f.trace.workers[worker]["memory"] if worker >= 0 else None
        accesses, before = f.accesses(t), f.predecessors(t)
        kernel, iteration = f.kernel_name[f.kernel_of[t]], f.indices[t][0]
        yield ",".join([
            "", f.job(t), str(f.submit_order(t)), _date(f.submit_s[t]), joined(f"{f.address(h):x}" for h, _ in accesses), str(f.node_of(t)),
            kernel, kernel, str(f.priority[t]), f"{f.tag[t]:x}", str(f.worker_number[worker]) if worker >= 0 else "",
            "" if memory is None else str(f.memory_number[memory]), _date(f.start_s[t]), _date(f.end_s[t]), f"{f.footprint[t]:x}",
            " ".join(f.shapes(t)), joined(MODES[mode] for _, mode in accesses), joined(max(f.handle_size[h], 0) for h, _ in accesses),
            joined(map(f.job, before)), " ".join(["task"] * len(before)), str(iteration) if iteration >= 0 else "",
            f"{f.gflop[t]:.6f}"]) + "\n"


def _handles(f: Fields) -> Iterator[str]:
    yield "Handle,HomeNode,MPIRank,Size,Description,Coordinates,MPIOwner,MPITag\n"
    for h, nodes in enumerate(f.nodes_of_handles()):
        owner, m, n = max(f.handle_owner[h], 0), f.handle_m[h], f.handle_n[h]
        tile = f"{m} {n}" if m >= 0 and n >= 0 else ""
        for node in nodes:
            yield (f"{f.address(h):x},{0 if node == owner else -1},{node},{_size(f.handle_size[h])},{name_in_line(f.shape(h), SPECIAL)},"
                   f"{tile},{owner},{f.mpi_tag(h)}\n")


def _dependencies(f: Fields) -> Iterator[str]:
    """A task depends on its predecessors; a message depends on its producer, and its consumer on the message."""
    yield "Dependent,JobId\n"
    for t in range(len(f.kernel_of)):
        for p in f.predecessors(t):
            yield f"{f.job(p)},{f.job(t)}\n"
    for i, m in enumerate(f.messages()):
        if m.producer >= 0:
            yield f"{f.job(m.producer)},mpi_0_{i}\n"
        if m.consumer >= 0:
            yield f"mpi_0_{i},{f.job(m.consumer)}\n"
