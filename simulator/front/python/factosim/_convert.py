"""Files of other tools, and graphs of Dask, that become graphs, scenarios and sweeps."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _factosim
from factosim._errors import InputError
from factosim._export import write_whole
from factosim._graph import graph_of_lines
from factosim._kinds import checked, warn
from factosim._platform import Cluster
from factosim.convert import ConvertError, Converted, Source, convert_dask, converted

PathLike = Union[str, "os.PathLike[str]"]


@checked
def convert(
    source: Union[PathLike, Mapping[Any, Any]],
    out: Optional[PathLike] = None,
    kind: Optional[str] = None,
    *,
    platform: Optional[PathLike] = None,
    seconds: Optional[Mapping[str, float]] = None,
    force: bool = False,
) -> Union[_factosim.TaskGraph, dict[str, Any]]:
    """Converts a file of another tool that factosim does not read as it is (scenarios/graphs.md#files-to-convert).

    source    a file: a workflow of Pegasus ("dax"), a list of tasks with their times ("formatted-tasks"), or HPL.dat ("hpl"); or a
              graph of Dask, `dict(collection.__dask_graph__())`
    out       a file to write, for the program; replaced with `force`
    kind      of the file; without, the contents decide
    platform  of HPL.dat, by name or path: a node of its first type for each process
    seconds   of Dask's tasks on a core, by the beginning of their names: {"sum": 0.5}; of several the longest counts

    Returns a TaskGraph, or the dict of a scenario or sweep. Warnings say what is left out; the file keeps them. Raises InputError.
    """
    if isinstance(source, Mapping) and (kind or platform):
        raise InputError("kind#: and platform are of files (a graph of Dask has neither). Leave them out")
    if not isinstance(source, Mapping) and seconds is not None:
        raise InputError("seconds#: are of graphs of Dask (files have their own). Leave them out")
    try:
        done = convert_dask(source, seconds) if isinstance(source, Mapping) else converted(_source(source, platform), kind)
    except ConvertError as error:
        raise InputError._of_program(str(error).replace("--from", "kind")) from None
    for finding in done.findings:
        warn(finding)
    if out is not None:
        Path(out).parent.mkdir(parents=True, exist_ok=True)
        write_whole(Path(out), [done.text], force)
    return _value(done)


def _source(path: PathLike, platform: Optional[PathLike]) -> Source:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{os.fspath(path)}#: cannot be read ({error.strerror}). Check the path") from None
    node_type = Cluster(platform).node_types[0] if platform is not None else ""
    where = os.fspath(platform or "")
    return Source(os.fspath(path), data, str(Path(where).absolute()) if where and Path(where).is_file() else where, node_type)


def _value(done: Converted) -> Union[_factosim.TaskGraph, dict[str, Any]]:
    if done.ending != ".jsonl":
        document: dict[str, Any] = json.loads(done.text)
        return document
    return graph_of_lines(done.text.encode())
