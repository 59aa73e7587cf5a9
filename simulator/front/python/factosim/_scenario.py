"""Scenarios: files, or dicts with the same keys."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from factosim import _child, _factosim
from factosim._errors import ContractError, InputError
from factosim._progress import Bar, Choice
from factosim._run import Run, Series, TemporaryFolder, open_run
from factosim._scheduler import Scheduler

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Settings = Union[None, Mapping[str, Any], Sequence[str]]


def load(file: Union[str, "os.PathLike[str]"]) -> dict[str, Any]:
    """Reads a scenario file as a dict, which may be changed and run. Paths in it become absolute."""
    path = Path(file)
    document: dict[str, Any] = json.loads(path.read_text())
    whole: dict[str, Any] = _with_absolute_paths(document, path.absolute().parent)
    return whole


# Keys whose values are paths, and that are paths only if they have a slash or an ending.
_PATH_KEYS = ("file", "trace", "simgrid_xml", "kernels", "platform")


def _with_absolute_paths(value: Any, folder: Path, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _with_absolute_paths(v, folder, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_absolute_paths(v, folder, key) for v in value]
    if isinstance(value, str) and key in _PATH_KEYS + ("merge",) and (folder / value).exists():
        return str((folder / value).resolve())
    return value


class Document:
    """A scenario as the native module takes it. `folder` gets the files for what only files can say."""

    def __init__(self, scenario: Scenario, settings: Settings, overrides: Mapping[str, Any], folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str] = {}  # of files in the folder, for messages
        self._map: Optional[npt.NDArray[np.int64]] = None  # of the distribution
        self.text: Optional[str] = None
        if isinstance(scenario, Mapping):
            self.file = "<scenario>"
            self.text = json.dumps(self._plain(copy.deepcopy(dict(scenario))), default=_plain_number, allow_nan=False)
        else:
            self.file = os.fspath(scenario)
        self.settings = [self._setting(s) for s in _pairs(settings)] + [self._setting(o) for o in overrides.items()]

    def arguments(self) -> tuple[Optional[str], str, list[str]]:
        return self.text, self.file, self.settings

    @contextlib.contextmanager
    def own_words(self) -> Iterator[None]:
        """Names what the caller wrote in errors, in place of files in the folder."""
        try:
            with own_words(self._names):
                yield
        except InputError as error:
            found = re.search(r"names node \d+ \(the platform has (\d+)\)", str(error))
            if self._map is None or found is None:
                raise
            node_numbers(f"{self.file}#/distribution", self._map, int(found[1]))
            raise

    def _setting(self, setting: Union[str, tuple[str, Any]]) -> str:
        if isinstance(setting, str):
            return setting
        key, value = setting
        value = self._plain_value(key.rsplit("/", 1)[-1], value)
        return f"{key}={json.dumps(value, default=_plain_number)}"

    def _plain(self, document: dict[str, Any]) -> dict[str, Any]:
        document.setdefault("format", "factosim-scenario")
        document.setdefault("version", 1)
        return {key: self._plain_value(key, value) for key, value in document.items()}

    def _plain_value(self, key: str, value: Any) -> Any:
        if key in ("distribution", "generation") and isinstance(value, np.ndarray):
            return {"type": "file", "file": self._map_file(value)}
        if key == "platform" and isinstance(value, Mapping) and not ("file" in value or "merge" in value):
            file = platform_file(value, self._folder)
            self._names[file] = "<platform>"
            return file
        return value

    def _map_file(self, owners: npt.NDArray[Any]) -> str:
        if owners.ndim != 2:
            raise InputError(f"{self.file}#/distribution: has {owners.ndim} dimensions (a map of tiles has 2). Give [mt, nt]")
        self._map = node_numbers(f"{self.file}#/distribution", owners)
        file = self._new_file("map", ".txt")
        self._names[str(file)] = f"{self.file}#/distribution"
        rows = "\n".join(" ".join(str(int(owner) + 1) for owner in row) for row in owners)
        file.write_text(f"{owners.shape[0]} {owners.shape[1]}\n{rows}\n")
        return str(file)

    def _new_file(self, name: str, ending: str) -> Path:
        handle, path = tempfile.mkstemp(ending, name + "-", self._folder)
        os.close(handle)
        return Path(path)


@contextlib.contextmanager
def own_words(names: Mapping[str, str]) -> Iterator[None]:
    """Replaces names of files in the message of an InputError."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for file, name in names.items():
            message = message.replace(file, name)
        if message == str(error):
            raise
        raise InputError(message) from None


def node_numbers(where: str, values: npt.ArrayLike, count: Optional[int] = None, lowest: int = 0) -> npt.NDArray[np.int64]:
    """Returns numbers of nodes, from the lowest (-1: none) to count - 1, as integers."""
    nodes = np.asarray(values)
    if nodes.size and nodes.dtype.kind not in "iu":
        raise InputError(f"{where}: has numbers of type {nodes.dtype} (nodes have whole numbers). Give integers")
    wrong = np.argwhere((nodes < lowest) | (nodes >= (np.iinfo(np.int32).max if count is None else count)))
    if wrong.size:
        place = tuple(int(i) for i in wrong[0])
        last = "" if count is None else f" to {count - 1}"
        raise InputError(
            f"{where}: [{', '.join(map(str, place))}] is {nodes[place]} (nodes are numbered from 0{last}). Correct it"
        )
    return nodes.astype(np.int64)


def platform_file(platform: Mapping[str, Any], folder: Path) -> str:
    """Writes a whole platform, given as a dict, and returns the path."""
    document = {"format": "factosim-platform", "version": 1, **platform}
    document = _with_absolute_paths(document, Path.cwd())
    handle, path = tempfile.mkstemp(".json", "platform-", folder)
    with os.fdopen(handle, "w") as file:
        json.dump(document, file, default=_plain_number)
    return path


def _pairs(settings: Settings) -> list[Union[str, tuple[str, Any]]]:
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        return list(settings.items())
    if isinstance(settings, str):
        return [settings]
    return list(settings)


def _plain_number(value: Any) -> Any:
    """Numbers of numpy as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} is no value of a scenario")


def control_of(
    folder: Path,
    force: bool,
    trace: Optional[bool],
    series: Series,
    scheduler: Union[None, str, type],
) -> dict[str, Any]:
    if scheduler is not None and not callable(scheduler) and not isinstance(scheduler, str):
        raise TypeError(f"scheduler is a {type(scheduler).__name__}. Give the name of a policy, or a class")
    if series is not None and not isinstance(series, int):
        raise TypeError(f"series is a {type(series).__name__}. Give True, False or a number of points")
    points = {True: 1000, False: 0}.get(series) if isinstance(series, bool) else series
    return {
        "out": str(folder),
        "force": force,
        "trace": trace,
        "series_points": points,
        "scheduler": None if isinstance(scheduler, str) else scheduler,
        "progress": None,
    }


def run(
    scenario: Scenario,
    set: Settings = None,
    *,
    scheduler: Union[None, str, type[Scheduler]] = None,
    out: Union[None, str, "os.PathLike[str]"] = None,
    force: bool = False,
    trace: Optional[bool] = None,
    series: Series = None,
    progress: Choice = None,
    isolated: bool = True,
    **overrides: Any,
) -> Run:
    """Simulates a scenario and returns its run.

    scenario   a file, or a dict with the keys of one; relative paths in a dict start from the current folder. Two keys
               of a dict may have other values too: "platform" a whole platform, "distribution" an integer array
               [mt, nt] of the nodes that own the tiles
    set        keys to change: {"nt": 30, "/scheduler/type": "dm"}, or ["nt=30"] as of `factosim run --set`; those that are
               names of Python may be given by name: run(scenario, nt=30)
    scheduler  the name of a policy (`scheduler_names()`), or a class, instead of the scenario's policy
    out        a folder to keep the run in, as `factosim run --out` does; replaced with `force`. Without one, the run is
               kept as long as the object that this function returns
    trace      keep the tasks and transfers: by default, those of up to a million tasks
    series     keep averages over time: True, or their number of points
    progress   False: do not show; True: show at once; or a function of tasks done and all tasks, which stops the run by
               returning False
    isolated   False: simulate in this process, in which a policy can keep its objects. Only the first simulation of a
               process can then have the network model `simgrid`

    Raises InputError, InfeasibleError, RunStopped, ContractError, and whatever a policy raises.
    """
    temporary = TemporaryFolder()
    folder = temporary.path / "run" if out is None else Path(out)
    if isinstance(scheduler, str):
        overrides = {**overrides, "/scheduler/type": scheduler}
    document = Document(scenario, set, overrides, temporary.path)
    control = control_of(folder, force, trace, series, scheduler)

    def simulate(report: _child.Progress) -> None:
        _factosim.simulate_scenario(*document.arguments(), {**control, "progress": report})

    with document.own_words():
        perform(simulate, progress, isolated)
    return open_run(folder) if out is not None else Run(folder, temporary)


def perform(simulate: Any, progress: Choice, isolated: bool) -> None:
    """Simulates in a child process or in this one, and shows the progress."""
    bar = Bar(progress)
    try:
        if isolated:
            _child.call(simulate, bar)
        else:
            simulate(bar)
    except ContractError as error:
        if "second SimGrid network" not in str(error):
            raise
        raise InputError(
            "network#/model: is simgrid, with which this process, or the one it was forked from, has simulated before "
            "(SimGrid keeps static state). Use maxmin, also for what is simulated inside a policy or with isolated=False"
        ) from None
    finally:
        bar.close()


def bounds(scenario: Scenario, set: Settings = None, **overrides: Any) -> dict[str, Any]:
    """Returns lower bounds of the makespan, in seconds, as `factosim bounds --json` prints them; nothing is simulated."""
    with TemporaryFolder() as folder:
        document = Document(scenario, set, overrides, folder)
        with document.own_words():
            out: dict[str, Any] = json.loads(_factosim.bounds(*document.arguments()))
    return out


def distribute(scenario: Scenario, set: Settings = None, **overrides: Any) -> npt.NDArray[np.int32]:
    """Returns the node that owns each tile, [mt, nt], by the distribution of a scenario; -1 where no tile is stored."""
    with TemporaryFolder() as folder:
        document = Document(scenario, set, overrides, folder)
        with document.own_words():
            return _factosim.distribute(*document.arguments())
