"""Scenarios as the program takes them, made of files, dicts, and the values that Python has for their keys."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _factosim
from factosim._arrays import np, npt
from factosim._errors import InputError
from factosim._inputs import InputFiles
from factosim._kinds import checked
from factosim._platform import Cluster, PlatformValue, with_absolute_paths
from factosim._program import call, own_words
from factosim._run import TemporaryFolder
from factosim._scheduler import OwnPolicy, own_policy

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Settings = Union[None, Mapping[str, Any], Sequence[str]]

_GRAPH = "<graph>"  # in place of its file


@checked
def load(file: Union[str, "os.PathLike[str]"]) -> dict[str, Any]:
    """Reads a scenario file as a dict, which may be changed and run. Paths in it become absolute. Raises InputError if it is none."""
    path = Path(file)
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        call("validate", path)  # says where and what the mistake is
        raise InputError(f"{path}#: cannot be read ({error}). Give a scenario file") from None
    whole: dict[str, Any] = with_absolute_paths(document, path.absolute().parent)
    return whole


class Document:
    """A scenario, with settings applied or beside it.

    `graph`, `policy`: of Python, in place of what a file says. `folder`: for the files for what only files can say.
    """

    def __init__(
        self,
        scenario: Scenario,
        settings: Settings = None,
        overrides: Optional[Mapping[str, Any]] = None,
        folder: Optional[Path] = None,
    ) -> None:
        self._temporary = TemporaryFolder()  # removed with this object
        self.folder = self._temporary.path
        self._inputs = InputFiles(folder)
        self.names: dict[str, str] = {}  # of files in the folder, for messages
        self.graph: Optional[_factosim.TaskGraph] = None
        self.policy: Optional[OwnPolicy] = None
        self._owners: Optional[npt.NDArray[np.int64]] = None
        self.text: Optional[str] = None
        self.file = "<scenario>"
        if isinstance(scenario, Mapping):
            document = self._members(scenario, "", self.file + "#")
            self._place_graph(document)
            self.text = json.dumps({"format": "factosim-scenario", "version": 1, **document})
        elif isinstance(scenario, (str, os.PathLike)) and os.fspath(scenario):
            self.file = os.fspath(scenario)
        else:
            raise InputError(f"scenario#: is {_shown(scenario)}. Give a file, or a dict with the keys of one")
        given = [*_pairs(settings), *(overrides or {}).items()]
        self.settings = [s for s in map(self._setting, given) if s is not None]
        for setting in self.settings:
            if self.policy is not None and setting.strip("/").startswith("scheduler"):
                raise InputError(f"set#: {setting} is for a named policy (the scheduler is a class). Give its parameters with it")

    def arguments(self) -> tuple[Optional[str], str, list[str], Optional[_factosim.TaskGraph]]:
        """Returns what the functions of the native module take."""
        return self.text, self.file, self.settings, self.graph

    @contextlib.contextmanager
    def own_words(self) -> Iterator[None]:
        """Names what the caller wrote in errors, in place of files in the folder."""
        try:
            with own_words(self.names):
                yield
        except InputError as error:
            found = re.search(r"names node \d+ .*\(the platform has (\d+)", str(error))
            if self._owners is not None and found is not None:
                node_numbers(f"{self.file}#/distribution", self._owners, int(found[1]), -1)
            raise

    def on_command_line(self, any_policy: bool = False) -> list[str]:
        """Returns the scenario as the program takes it: a file, and `--set`.

        Raises InputError for what only Python can run; `any_policy`: leaves it out.
        """
        if self.policy is not None and not any_policy:
            raise InputError(f"{self.file}#/scheduler: is a class (the program, which does this, knows policies by name or as "
                             "plug-ins). Name one, or use factosim.run")
        settings, text = self.settings, self.text
        if self.graph is not None:
            graph = json.dumps(self.graph_file())
            settings = [s.replace(json.dumps(_GRAPH), graph) for s in settings]
            text = text and text.replace(json.dumps(_GRAPH), graph)
        file = self.file
        if text is not None:
            file = self._file("scenario", ".json", json.dumps(with_absolute_paths(json.loads(text), Path.cwd())), self.file)
        return [file, *(f"--set={s}" for s in settings)]

    def plain(self, key: str, value: Any) -> Any:
        """Returns a value of a sweep's point as JSON has it. Raises InputError for a policy that is no name."""
        if key.endswith("scheduler/type") or key.strip("/") == "scheduler":
            if own_policy(value, f"grid#/{key.strip('/')}") is not None:
                raise InputError(f"grid#/{key.strip('/')}: has a class (the folder of a sweep names policies). Leave out out=")
        if isinstance(value, _factosim.TaskGraph):
            raise InputError(f"grid#/{key.strip('/')}: has a graph (the folder of a sweep has one). Save it, and give its file")
        return self._value(key.strip("/"), value, f"grid#/{key.strip('/')}")

    def graph_file(self) -> str:
        """Returns the path of a file of the graph."""
        assert self.graph is not None
        file = self.folder / "graph.jsonl"
        self.graph.save(file, force=True)
        return self._file("graph", ".jsonl", file.read_text(), _GRAPH)

    def _file(self, name: str, ending: str, text: str, shown: str) -> str:
        """Returns the path of a file with the text, which messages call as the caller knows it."""
        path = self._inputs.add(name, ending, text.encode())
        self.names[path] = shown
        return path

    def _setting(self, setting: Union[str, tuple[str, Any]]) -> Optional[str]:
        if isinstance(setting, str):
            return setting
        key, value = setting
        if not isinstance(key, str):
            raise InputError(f"set#: has the key {_shown(key)}. Give keys as text, such as \"nt\" or \"/application/nt\"")
        end = key.strip("/").split("/")
        if end[-2:] == ["scheduler", "type"] or end[-1] == "scheduler":
            if (policy := own_policy(value, f"set#/{key.strip('/')}")) is not None:
                self.policy = policy
                return None
            self.policy = None
        plain = self._value(end[-1] if len(end) == 1 else "/".join(end), value, f"set#/{key.strip('/')}")
        return f"{key}={json.dumps(plain)}"

    def _members(self, document: Mapping[str, Any], at: str, where: str) -> dict[str, Any]:
        out = {}
        for key, value in document.items():
            if not isinstance(key, str):
                raise InputError(f"{where}: has the key {_shown(key)}. Give keys as text")
            if at == "" and key == "scheduler" and (policy := own_policy(value, f"{where}/{key}")) is not None:
                self.policy = policy
                continue
            out[key] = self._value(f"{at}{key}", value, f"{where}/{key}")
        return out

    def _value(self, key: str, value: Any, where: str) -> Any:
        """Returns a value as JSON has it. Raises InputError at `where`."""
        if key == "platform" and (isinstance(value, Cluster) or (isinstance(value, Mapping) and "node_types" in value)):
            return self._platform(value, where)
        if key in ("distribution", "generation"):
            if isinstance(value, (np.ndarray, list, tuple)):
                return self._map(value, where)
            if isinstance(value, str):
                return {"type": value}
        if key in ("scheduler", "network") and isinstance(value, str):
            return {"type" if key == "scheduler" else "model": value}
        if isinstance(value, _factosim.TaskGraph):
            if key not in ("application", "application/file"):
                raise InputError(f"{where}: is a graph (which is an application). Give it as \"application\"")
            self.graph = value
            return {"type": "graph", "file": _GRAPH} if key == "application" else _GRAPH
        if isinstance(value, Mapping) and value.get("format") == "factosim-kernels":
            return self._file("kernels", ".json", json.dumps(value), where)
        if isinstance(value, Mapping):
            return self._members(value, key + "/", where)
        if isinstance(value, (np.generic, np.ndarray)):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            return [self._value(f"{key}/{i}", v, f"{where}/{i}") for i, v in enumerate(value)]
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{where}: is {value} (JSON has finite numbers only). Give a number")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise InputError(f"{where}: is {_shown(value)}, which is no value of a scenario. Give a number, a text, a list or a dict")

    def _platform(self, value: PlatformValue, where: str) -> Any:
        cluster = value if isinstance(value, Cluster) else Cluster(self._members(value, "of/", where))  # type: ignore[arg-type]
        return cluster._value(self._file)

    def _map(self, values: npt.ArrayLike, where: str) -> Any:
        """Returns the distribution of an array: of tiles, [mt, nt], or of the handles of a graph."""
        owners = node_numbers(where, values, None, -1)
        one_dimension = where.startswith("<scenario>") and owners.ndim == 1
        if owners.ndim != 2 and not one_dimension:
            raise InputError(f"{where}: has {owners.ndim} dimensions (a map of tiles has 2). Give [mt, nt]")
        self._owners = owners
        if one_dimension:
            return None
        node_numbers(where, owners)
        rows = "\n".join(" ".join(str(int(owner) + 1) for owner in row) for row in owners)
        return {"type": "file", "file": self._file("map", ".txt", f"{owners.shape[0]} {owners.shape[1]}\n{rows}\n", where)}

    def _place_graph(self, document: dict[str, Any]) -> None:
        """Gives the data of a graph the owners of an array, [handles]."""
        if "distribution" not in document or document["distribution"] is not None or self._owners is None:
            return
        where = f"{self.file}#/distribution"
        if self.graph is None:
            raise InputError(f"{where}: has 1 dimension (a map of tiles has 2). Give [mt, nt]")
        if len(self._owners) != self.graph.handle_count:
            raise InputError(f"{where}: has {len(self._owners)} numbers (the graph has {self.graph.handle_count} handles). Give "
                             "one for each, or a map [mt, nt]")
        if self._owners.max(initial=0) > 0:  # on one node nobody else looks at them
            count = Cluster(document["platform"]).node_count if document.get("platform") else None
            node_numbers(where, self._owners, count, -1)
        del document["distribution"]
        document["application"]["placement"] = "owners"
        self.graph = self.graph.with_owners(self._owners.tolist())


def node_numbers(where: str, values: npt.ArrayLike, count: Optional[int] = None, lowest: int = 0) -> npt.NDArray[np.int64]:
    """Returns numbers of nodes, from the lowest (-1: none) to count - 1, as integers."""
    try:
        nodes = np.asarray(values)
    except ValueError:
        raise InputError(f"{where}: has rows of different lengths. Give an array") from None
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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _pairs(settings: Settings) -> list[Union[str, tuple[str, Any]]]:
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        return list(settings.items())
    if isinstance(settings, str):
        return [settings]
    if not isinstance(settings, Sequence) or not all(isinstance(s, str) for s in settings):
        raise InputError(f'set#: is {_shown(settings)}. Give a dict such as {{"nt": 30}}, or texts such as ["nt=30"]')
    return list(settings)
