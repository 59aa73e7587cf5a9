"""Task graphs as values: simulated, read from files, pickled, and made from and turned into graphs of networkx."""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _factosim
from factosim._arrays import np, npt
from factosim._document import node_numbers
from factosim._errors import InputError
from factosim._kinds import checked, warn
from factosim._platform import Cluster, PlatformValue, platform as platform_of
from factosim._program import expect_known
from factosim._progress import Choice
from factosim._run import Run, Series, TemporaryFolder
from factosim._scenario import run
from factosim._scheduler import PolicyChoice

Durations = Mapping[str, Union[float, Mapping[str, float]]]


@checked
def read_graph(
    path: Union[str, "os.PathLike[str]"], format: str = "", time_unit_s: float = 1, data_unit_bytes: float = 1
) -> _factosim.TaskGraph:
    """Reads a program of tasks: a file or folder in any format of scenarios/graphs.md.

    path     the file or folder
    format   its name; without, the contents decide
    time_unit_s, data_unit_bytes   of formats without units: seconds, and bytes

    Raises InputError for what is no graph of that format.
    """
    if not (time_unit_s > 0 and data_unit_bytes > 0):
        raise InputError(f"read_graph#: has the units {time_unit_s} s and {data_unit_bytes} bytes. Give numbers above 0")
    return _factosim.read_graph(os.fspath(path), format, time_unit_s, data_unit_bytes)


def owner_numbers(owners: Any, count: int) -> list[int]:
    """Returns the nodes that own so many handles, as the native module takes them."""
    out = node_numbers("owners#", owners, None, -1)
    if out.shape != (count,):
        raise InputError(f"owners#: has the shape {out.shape} (the graph has {count} handles). Give graph.handle_count numbers")
    numbers: list[int] = out.tolist()
    return numbers


@checked
def refuse_to_replace(file: Union[str, "os.PathLike[str]"], force: bool) -> None:
    if Path(file).exists() and not force:
        raise InputError(f"{os.fspath(file)}#: exists already (it would be replaced). Pass force=True")


def reduced(graph: _factosim.TaskGraph) -> tuple[Any, ...]:
    """Returns what pickle keeps of a graph: its file."""
    with tempfile.TemporaryDirectory(prefix="factosim-") as folder:
        graph.save(Path(folder) / "graph.jsonl")
        return graph_of_lines, ((Path(folder) / "graph.jsonl").read_bytes(),)


_texts: list[TemporaryFolder] = []  # one, for the files of graphs that have none: saving a recorded graph copies its file


def graph_of_lines(data: bytes) -> _factosim.TaskGraph:
    """Reads JSON lines, which are kept until the process ends."""
    if not _texts:
        _texts.append(TemporaryFolder())
    descriptor, file = tempfile.mkstemp(".jsonl", "graph-", _texts[0].path)
    with open(descriptor, "wb") as out:
        out.write(data)
    return _factosim.read_graph(file, "graph-jsonl", 1, 1)


def flow_of(kernels: list[Any], data: list[Any], tasks: list[Any], rest: tuple[str, bool, bool]) -> _factosim.TaskFlow:
    """Makes a flow again, of the arguments that made it."""
    flow = _factosim.TaskFlow()
    numbers = {}
    for name, flops, seconds, asynchronous, timing, spare, free in kernels:
        numbers[name] = flow.add_kernel(name, flops, seconds=seconds, asynchronous_on_gpu=asynchronous, timing=timing,
                                        on_spare_workers=spare, is_free=free)
    for datum in data:
        flow.add_handle(*datum)
    for before, kernel, accesses, priority, k, m, n, seconds, after, flops, node, hint, flushes in tasks:
        _prepare(flow, before)
        task = flow.submit(numbers[kernel], *accesses, priority=priority, k=k, m=m, n=n, seconds=seconds, after=after,
                           flops=flops, node=node)
        if hint:
            flow.wont_use(next(handle for handle, mode in accesses if "w" in mode))
        if flushes:
            flow.flush_inputs(task)
    _prepare(flow, rest)
    return flow


def _prepare(flow: _factosim.TaskFlow, before: tuple[str, bool, bool]) -> None:
    phase, barrier, flush = before
    if phase:
        flow.begin_phase(phase)
    if barrier:
        flow.barrier()
    if flush:
        flow.flush_cache()


_TASK_KEYS = ("seconds", "priority", "flops", "k", "m", "n", "node")


def from_networkx(graph: Any) -> _factosim.TaskGraph:
    """Makes a task graph of a directed acyclic graph of networkx. Raises InputError for other graphs and wrong attributes.

    Attributes of its nodes: "kernel" (the node's name without one), "seconds" (a number for cores, or numbers by worker),
    "priority", "flops", "k", "m", "n", "node" (where it runs). Of its edges: "bytes" that the first task sends to the second.
    Kernels last as long as their platform says, unless tasks have "seconds". A warning names other attributes, which do not count.
    """
    networkx: Any = importlib.import_module("networkx")
    if not isinstance(graph, networkx.Graph) or not (graph.is_directed() and networkx.is_directed_acyclic_graph(graph)):
        raise InputError("graph#: is no directed graph of networkx without cycles (tasks wait for others). Give a DiGraph")
    flow = _factosim.TaskFlow()
    kernels: dict[str, int] = {}
    numbers: dict[Any, int] = {}
    ignored = {key for _, task in graph.nodes(data=True) for key in task} - {"kernel", "id", *_TASK_KEYS}
    ignored |= {key for _, _, edge in graph.edges(data=True) for key in edge} - {"bytes"}
    if ignored:
        warn(f"attributes of the graph that do not count: {', '.join(sorted(map(str, ignored)))}")
    place = {name: number for number, name in enumerate(graph)}
    for name in networkx.lexicographical_topological_sort(graph, key=place.__getitem__):
        task = graph.nodes[name]
        kernel = str(task.get("kernel", name))
        if kernel not in kernels:
            kernels[kernel] = flow.add_kernel(kernel)
        after: list[Any] = []
        for before, _, edge in graph.in_edges(name, data=True):
            after.append((numbers[before], edge["bytes"]) if edge.get("bytes") is not None else numbers[before])
        given = {key: task[key] for key in _TASK_KEYS if task.get(key) is not None}
        numbers[name] = flow.submit(kernels[kernel], after=after, **given)
    return flow.finish()


@checked
def to_networkx(graph: _factosim.TaskGraph) -> Any:
    """Returns a graph as a DiGraph of networkx whose nodes are the numbers of tasks, with "id" and the attributes of `from_networkx`.

    Its edges have the "bytes" that the second task reads of what the first one writes; without, none.
    """
    networkx: Any = importlib.import_module("networkx")
    out = networkx.DiGraph()
    lines = [json.loads(line) for line in reduced(graph)[1][0].splitlines()]
    tasks = [line for line in lines if "task" in line]
    for number, task in enumerate(tasks):
        seconds = {key[:-2]: value for key, value in task.items() if key.endswith("_s")}
        known = {key: task[key] for key in ("kernel", *_TASK_KEYS) if key in task}
        out.add_node(number, id=task["task"], **known, **({"seconds": seconds} if seconds else {}))
    begin, accesses = graph.access_begin.tolist(), graph.accesses.tolist()
    reads = [{a >> 2 for a in accesses[begin[t] : begin[t + 1]] if a & 1} for t in range(len(graph))]
    first, successors, sizes = graph.successor_begin.tolist(), graph.successors.tolist(), graph.handles[:, 0].tolist()
    for number in range(len(graph)):
        written = [a >> 2 for a in accesses[begin[number] : begin[number + 1]] if a & 2]
        for after in successors[first[number] : first[number + 1]]:
            sent = [sizes[h] for h in written if h in reads[after]]
            out.add_edge(number, after, **({"bytes": sum(sent)} if sent else {}))
    return out


@checked
def simulate_graph(
    graph: _factosim.TaskGraph,
    platform: PlatformValue,
    owners: Union[None, npt.ArrayLike] = None,
    *,
    kernels: Union[None, Durations, Mapping[str, Durations]] = None,
    nb: int = 1,
    precision: str = "double",
    scheduler: PolicyChoice = "dmdas",
    seed: int = 0,
    network: Optional[str] = None,
    name: str = "",
    replicas: int = 1,
    out: Union[None, str, "os.PathLike[str]"] = None,
    force: bool = False,
    trace: Optional[bool] = None,
    series: Series = None,
    progress: Choice = None,
    isolated: bool = True,
) -> Run:
    """Simulates a task graph (`TaskFlow.finish`) on a cluster: a short form of `run`.

    graph      what `TaskFlow.finish`, `read_graph` or `from_networkx` returned
    platform   as of `platform`, or what that returned
    owners     the node of each handle, [handles]; or of each tile, [mt, nt]; without, all are on node 0. A task runs on the
               node that owns the first handle it writes, or else reads
    kernels    durations in seconds: {"gemm": 0.09} on cores, {"gemm": {"cpu": 0.09, "cuda": 0.004}} by worker ("cuda": all
               GPUs, "cuda0": the first), or one of these for each node type: {"node": {"gemm": 0.09}}. Others come from the
               platform's kernel files, for tiles of `nb` and that precision. A graph with durations of its own takes none
    nb, precision   rows of a tile, and "double", "single", ...: of those timings
    scheduler  the name of a policy, a class, or {"type": class, parameters}
    seed       of policies that draw random numbers
    network    the name of a network model (`network_model_names()`)
    name       of the run, in its result

    The other arguments, and exceptions, are those of `run`.
    """
    if not isinstance(graph, _factosim.TaskGraph):
        raise InputError(f"graph#: is {graph!r}. Give a TaskGraph: what TaskFlow.finish or read_graph returns")
    cluster = platform_of(platform)
    if kernels is not None:
        _set_durations(cluster, graph, kernels, nb, precision)
    expect_known("precision#", precision, ("double", "single", "tf32", "half", "bfloat16", "fp8"), "precision")
    application: dict[str, Any] = {"type": "graph", "file": graph, "nb": nb, "precision": precision}
    if network is not None:
        expect_known("network#", network, _factosim.network_model_names(), "network model")
    scenario = {
        **({"name": name} if name else {}),
        "seed": seed,
        "platform": cluster,
        "application": application,
        "distribution": _owners_of_handles(graph, cluster.node_count, owners),
        "scheduler": scheduler,
        **({"network": {"model": network}} if network is not None else {}),
    }
    return run(scenario, replicas=replicas, out=out, force=force, trace=trace, series=series, progress=progress, isolated=isolated)


def _owners_of_handles(graph: _factosim.TaskGraph, nodes: int, owners: Union[None, npt.ArrayLike]) -> npt.NDArray[np.int64]:
    """Returns the node of each handle: those that a handle names precede those of its tile."""
    if owners is None:
        return np.zeros(graph.handle_count, np.int64)
    given = node_numbers("owners#", owners, nodes, -1)
    if given.ndim == 1:
        node_numbers("owners#", given, nodes)
        if len(given) != graph.handle_count:
            raise InputError(f"owners#: has {len(given)} numbers (the graph has {graph.handle_count} handles). Give one for each")
        return given
    if given.ndim != 2:
        raise InputError(f"owners#: has {given.ndim} dimensions. Give a node for each handle, or a map of tiles")
    m, n, own = graph.handles[:, 1:].T
    outside = np.flatnonzero((own < 0) & ((m < 0) | (n < 0) | (m >= given.shape[0]) | (n >= given.shape[1])))
    if outside.size:
        raise InputError(f"owners#: has no tile ({m[outside[0]]}, {n[outside[0]]}) (a handle is there). Give a larger map")
    placed = np.where(own < 0, given[np.minimum(m, given.shape[0] - 1), np.minimum(n, given.shape[1] - 1)], own)
    return placed.astype(np.int64)


def _set_durations(
    cluster: Cluster, graph: _factosim.TaskGraph, kernels: Mapping[str, Any], nb: int, precision: str
) -> None:
    if graph.has_durations:
        raise InputError("kernels#: are given, and the graph has durations of its own (`seconds`). Leave one of them out")
    if not isinstance(kernels, Mapping):
        raise InputError(f'kernels#: is {kernels!r}. Give durations by kernel, such as {{"gemm": 0.09}}')
    gpus = dict(zip(cluster.node_types, cluster.gpu_counts))
    timings = dict.fromkeys([*graph.timing_names, *graph.kernel_names])
    by_type = any(key in gpus for key in kernels)
    for node_type, durations in kernels.items() if by_type else [("", kernels)]:
        if by_type:
            expect_known("kernels#", node_type, gpus, "node type of the platform")
        types = {node_type: gpus[node_type]} if by_type else gpus
        where = f"kernels#/{node_type}" if by_type else "kernels#"
        workers = ["cpu", *(["cuda"] if any(types.values()) else []), *(f"cuda{g}" for g in range(max(types.values())))]
        for kernel, seconds in durations.items():
            expect_known(where, kernel, timings, "kernel of the graph")
            for worker, value in (seconds if isinstance(seconds, Mapping) else {"cpu": seconds}).items():
                expect_known(f"{where}/{kernel}", worker, workers, "worker of the nodes")
                for of_type, count in types.items():
                    for own in ["cpu", *(f"cuda{g}" for g in range(count))]:
                        if worker == own or (worker == "cuda" and own != "cpu"):
                            cluster.set_duration(of_type, kernel, own, value, nb, precision)
