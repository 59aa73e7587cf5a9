"""The records of StarPU's files: a line for each field, an empty line after each record. Times in ms."""

from __future__ import annotations

from collections.abc import Iterator

from ._fields import MODES, SPECIAL, Fields, joined, name_in_line


def files(fields: Fields) -> dict[str, Iterator[str]]:
    """Returns the records by name of the file:

    - tasks.rec, with the known fields; input of starpu_replay and pmtool;
    - data.rec if the trace has handles; comms.rec if it has several nodes;
    - platform_file.rec.

    `DependsOn` includes dependencies between nodes, which StarPU itself omits.
    """
    out = {"tasks.rec": _tasks(fields), "platform_file.rec": platform(fields)}
    if fields.handle_size:
        out["data.rec"] = _handles(fields)
    if _parallel(fields):
        out["comms.rec"] = _messages(fields)
    return out


def _parallel(f: Fields) -> bool:
    return len(f.trace.nodes) > 1


def _date(name: str, seconds: float) -> str:
    return f"{name}: {seconds * 1e3:.6f}\n" if seconds == seconds else ""


def _tasks(f: Fields) -> Iterator[str]:
    parallel = _parallel(f)
    jobs = [f.job(t) if parallel else str(f.number(t)) for t in range(len(f.kernel_of))]
    address, size = [f"{f.address(h):x}" for h in range(len(f.handle_size))], [str(max(bytes, 0)) for bytes in f.handle_size]
    for hint in f.hints():
        yield (f"Control: WontUse\nJobId: {hint.job}\nSubmitOrder: {hint.submit_order}\n{_date('SubmitTime', hint.submit_s)}"
               f"Handles: {address[hint.handle]}\nMPIRank: {hint.node if parallel else -1}\n\n")
    for t, kernel in enumerate(f.kernel_of):
        name, worker, before, accesses = f.kernel_name[kernel], f.worker_of[t], f.predecessors(t), f.accesses(t)
        yield f"Name: {name}\nModel: {name}\nJobId: {jobs[t]}\nSubmitOrder: {f.submit_order(t)}\nPriority: {f.priority[t]}\n"
        if before:
            yield f"DependsOn: {joined(jobs[p] for p in before)}\nDepLabels: {joined(['task'] * len(before))}\n"
        yield f"Tag: {f.tag[t]:x}\n"
        if worker >= 0:
            memory = f.trace.workers[worker]["memory"]
            yield f"WorkerId: {f.worker_number[worker]}\n"
            yield "" if memory is None else f"MemoryNode: {f.memory_number[memory]}\n"
        yield _date("SubmitTime", f.submit_s[t]) + _date("StartTime", f.start_s[t]) + _date("EndTime", f.end_s[t])
        yield f"Footprint: {f.footprint[t]:x}\n"
        if f.gflop[t] > 0:
            yield f"GFlop: {f.gflop[t]:.6f}\n"
        if f.indices[t][0] >= 0:
            yield f"Iteration: {f.indices[t][0]}\n"
        if accesses:
            yield (f"Parameters: {joined(f.shapes(t))}\nHandles: {joined(address[h] for h, _ in accesses)}\n"
                   f"Modes: {joined(MODES[mode] for _, mode in accesses)}\nSizes: {joined(size[h] for h, _ in accesses)}\n")
        yield f"MPIRank: {f.node_of(t) if parallel else -1}\n\n"


def _handles(f: Fields) -> Iterator[str]:
    """One record per node that knows the handle, as each rank of StarPU writes its own."""
    parallel = _parallel(f)
    for h, nodes in enumerate(f.nodes_of_handles()):
        owner, size, m, n = f.handle_owner[h], f.handle_size[h], f.handle_m[h], f.handle_n[h]
        shape = name_in_line(f.shape(h), SPECIAL)
        for node in nodes:
            yield f"Handle: {f.address(h):x}\nHomeNode: {0 if owner in (-1, node) else -1}\n"
            yield f"MPIRank: {node}\n" if parallel else ""
            yield f"Size: {size}\n" if size >= 0 else ""
            yield f"Description: {shape}\n" if shape else ""
            if m >= 0:
                yield f"Coordinates: {m} {n}\n" if n >= 0 else f"Coordinates: {m}\n"
            yield f"MPIOwner: {owner}\n" if parallel and owner >= 0 else ""
            yield f"MPITag: {f.mpi_tag(h)}\n" if parallel else ""
            yield "\n"


def _messages(f: Fields) -> Iterator[str]:
    for m in f.messages():
        known = m.handle >= 0
        yield f"Src: {m.start}\nDst: {m.end}\n"
        yield f"Tag: {f.mpi_tag(m.handle)}\n" if known else ""
        yield f"SendTime: {m.start_s * 1e3:.9f}\nRecvTime: {m.end_s * 1e3:.9f}\n"
        yield f"SendHandle: {f.address(m.handle):x}\nRecvHandle: {f.address(m.handle):x}\n" if known else ""
        yield f"SendJobId: {f.job(m.producer)}\n" if m.producer >= 0 else ""
        yield f"RecvJobId: {f.job(m.consumer)}\n" if m.consumer >= 0 else ""
        yield f"Size: {m.size}\n\n" if m.size >= 0 else "\n"


def platform(f: Fields) -> Iterator[str]:
    """The output of starpu_perfmodel_recdump: workers and memories of the first node; mean, deviation and count for each kernel,
    footprint and architecture (all cores together, each GPU separately), over all nodes of its type. Times in us."""
    architectures = f.architectures()
    of_first = [w for w, worker in enumerate(f.trace.workers) if worker["node"] == 0]
    yield "%rec: worker_count\n\n"
    counts: dict[str, int] = {}
    for w in of_first:
        counts[architectures[w]] = counts.get(architectures[w], 0) + 1
    for name, count in sorted(counts.items()):
        yield f"Architecture: {name}\nNbWorkers: {count}\n\n"
    yield "%rec: memory_workers\n\n"
    for m, memory in enumerate(f.trace.memory_nodes):
        if memory["node"] == 0:
            workers = "".join(f" {number}" for number, w in enumerate(of_first) if f.trace.workers[w]["memory"] == m)
            yield f"MemoryNode: {f.memory_number[m]}\nName: {name_in_line(memory['name'], SPECIAL)}\nSize: 0\nWorkers:{workers}\n\n"
    yield "%rec: memory_performance\n\n%rec: timing\n\n"
    for (kernel, where, footprint), (size, flops, times) in sorted(f.timings(architectures).items()):
        mean, deviation = _moments(sorted(times))
        yield (f"Model: {f.kernel_name[kernel]}\nArchitecture: {where}\nFootprint: {footprint:08x}\nSize: {size}\nFlops: {flops:e}\n"
               f"Mean: {mean:e}\nStddev: {deviation:e}\nSamples: {len(times)}\n\n")


def _moments(values: list[float]) -> tuple[float, float]:
    """Returns mean and deviation, summed one by one relative to the first value: equal ones have no deviation."""
    differences = squares = 0.0  # not by `sum`, which rounds differently from Python 3.12 on
    for value in values:
        differences += value - values[0]
    mean = values[0] + differences / len(values)
    for value in values:
        squares += (value - mean) * (value - mean)
    return mean, (squares / len(values)) ** 0.5
