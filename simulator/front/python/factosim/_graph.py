"""Task graphs that are built in Python."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any, Collection, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from factosim import _child, _factosim
from factosim._errors import InputError
from factosim._progress import Choice
from factosim._run import Run, Series, TemporaryFolder, open_run
from factosim._scenario import control_of, node_numbers, own_words, perform, platform_file
from factosim._scheduler import Scheduler

Platform = Union[str, "os.PathLike[str]", Mapping[str, Any], _factosim.Cluster]
Durations = Mapping[str, Union[float, Mapping[str, float]]]


def read_cluster(platform: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> _factosim.Cluster:
    """Reads a platform: the name of a shipped one, a file, or a dict with the keys of a file."""
    if not isinstance(platform, Mapping):
        return _factosim.read_cluster(os.fspath(platform))
    with TemporaryFolder() as folder:
        file = platform_file(platform, folder)
        with own_words({file: "<platform>"}):
            return _factosim.read_cluster(file)


def simulate_graph(
    graph: _factosim.TaskGraph,
    platform: Platform,
    owners: Union[None, npt.ArrayLike] = None,
    *,
    kernels: Union[None, Durations, Mapping[str, Durations]] = None,
    nb: int = 1,
    precision: str = "double",
    scheduler: Union[str, type[Scheduler]] = "dmdas",
    seed: int = 0,
    network: Optional[str] = None,
    name: str = "",
    out: Union[None, str, "os.PathLike[str]"] = None,
    force: bool = False,
    trace: Optional[bool] = None,
    series: Series = None,
    progress: Choice = None,
    isolated: bool = True,
) -> Run:
    """Simulates a task graph (`TaskFlow.finish`) on a cluster and returns its run.

    platform   as of `read_cluster`, or what that returned
    owners     the node of each handle, [handles]; or of each tile, [mt, nt]; without, all are on node 0. A task runs on the
               node that owns the first handle it writes, or else reads
    kernels    durations in seconds: {"gemm": 0.09} on cores, {"gemm": {"cpu": 0.09, "cuda": 0.004}} by worker ("cuda": all
               GPUs, "cuda0": the first), or one of these for each node type: {"node": {"gemm": 0.09}}. Others come from the
               platform's kernel files, for tiles of `nb` and that precision
    scheduler  the name of a policy (`scheduler_names()`), or a class
    seed       of policies that draw random numbers
    network    the name of a network model (`network_model_names()`)

    The other arguments, and exceptions, are those of `run`.
    """
    cluster = platform.copy() if isinstance(platform, _factosim.Cluster) else read_cluster(platform)
    if kernels is not None:
        _set_durations(cluster, graph, kernels, nb, precision)
    if owners is None:
        owners = np.zeros(graph.handle_count, np.int64)
    nodes = node_numbers("owners#", owners, cluster.node_count, -1 if np.ndim(owners) == 2 else 0)
    options = {
        "name": name,
        "precision": precision,
        "nb": nb,
        "policy": scheduler if isinstance(scheduler, str) else "eager",
        "seed": seed,
        "network": network,
    }
    temporary = TemporaryFolder()
    folder = temporary.path / "run" if out is None else Path(out)
    control = control_of(folder, force, trace, series, scheduler)

    def simulate(report: _child.Progress) -> None:
        _factosim.simulate_graph(graph, nodes, cluster, options, {**control, "progress": report})

    perform(simulate, progress, isolated)
    return open_run(folder) if out is not None else Run(folder, temporary)


def _set_durations(
    cluster: _factosim.Cluster, graph: _factosim.TaskGraph, kernels: Mapping[str, Any], nb: int, precision: str
) -> None:
    gpus = dict(zip(cluster.node_types, cluster.gpu_counts))
    timings = dict.fromkeys([*graph.timing_names, *graph.kernel_names])
    by_type = any(key in gpus for key in kernels)
    for node_type, durations in kernels.items() if by_type else [("", kernels)]:
        if by_type:
            _expect_known("kernels#", node_type, gpus, "node type of the platform")
        types = {node_type: gpus[node_type]} if by_type else gpus
        where = f"kernels#/{node_type}" if by_type else "kernels#"
        workers = ["cpu", *(["cuda"] if any(types.values()) else []), *(f"cuda{g}" for g in range(max(types.values())))]
        for kernel, seconds in durations.items():
            _expect_known(where, kernel, timings, "kernel of the graph")
            for worker, value in (seconds if isinstance(seconds, Mapping) else {"cpu": seconds}).items():
                _expect_known(f"{where}/{kernel}", worker, workers, "worker of the nodes")
                for of_type, count in types.items():
                    for own in ["cpu", *(f"cuda{g}" for g in range(count))]:
                        if worker == own or (worker == "cuda" and own != "cpu"):
                            cluster.set_duration(of_type, kernel, own, float(value), nb, precision)


def _expect_known(where: str, name: str, known: Collection[str], kind: str) -> None:
    if name in known:
        return
    close = difflib.get_close_matches(name, list(known), 1)
    meant = f'Did you mean "{close[0]}"?' if close else ""
    raise InputError(f'{where}: "{name}" is no {kind} (there are {", ".join(known)}). {meant or "Use one of these"}')
