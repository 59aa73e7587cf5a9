"""Platforms as values: shipped ones by name with any number of nodes, files and dicts, with durations set in Python."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from factosim._errors import InputError
from factosim._kinds import checked
from factosim._program import call_json, expect_known
from factosim._report import Figure, figure_of_program
from factosim._run import TemporaryFolder

Nodes = Union[None, int, Mapping[str, int], Sequence[Mapping[str, Any]]]
_PRECISIONS = ("double", "single", "tf32", "half", "bfloat16", "fp8")

# Keys whose values are paths, and that are paths only if they have a slash or an ending.
_PATH_KEYS = ("file", "trace", "simgrid_xml", "kernels", "platform", "merge")


def with_absolute_paths(value: Any, folder: Path, key: str = "") -> Any:
    """Returns a document whose paths of existing files do not depend on a folder."""
    if isinstance(value, Mapping):
        return {k: with_absolute_paths(v, folder, k) for k, v in value.items()}
    if isinstance(value, list):
        return [with_absolute_paths(v, folder, key) for v in value]
    if isinstance(value, str) and key in _PATH_KEYS and (folder / value).exists():
        return str((folder / value).resolve())
    return value


class Cluster:
    """A platform, as a value of a scenario's "platform"; `platform` makes one.

    `set_duration` changes how long kernels last on it; `copy` keeps another as it is.
    """

    def __init__(self, platform: Union[str, "os.PathLike[str]", Mapping[str, Any]], nodes: Nodes = None) -> None:
        if not isinstance(platform, (str, os.PathLike, Mapping)):
            raise InputError(f"platform#: is {platform!r}. Give a name, a file, or a dict with the keys of a file")
        self._given: Any = dict(platform) if isinstance(platform, Mapping) else os.fspath(platform)
        self._nodes: Optional[list[dict[str, Any]]] = None
        self._durations: dict[tuple[str, str, str, int, str], float] = {}
        self._document: Optional[dict[str, Any]] = None
        if nodes is not None:
            self._nodes = self._counted(nodes)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n.get('count', 1)} {n['type']}" for n in self._node_list())
        return f"<factosim.Cluster: {counts}>"

    @property
    def node_types(self) -> list[str]:
        """The names of the types of nodes."""
        return list(self.document["node_types"])

    @property
    def gpu_counts(self) -> list[int]:
        """The number of GPUs of a node of each type."""
        return [len(node_type.get("gpus", [])) for node_type in self.document["node_types"].values()]

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return sum(int(nodes.get("count", 1)) for nodes in self._node_list())

    @property
    def document(self) -> dict[str, Any]:
        """The whole platform, as a file has it (platforms/README.md), with absolute paths."""
        if self._document is None:
            types = self._given.get("node_types") if isinstance(self._given, dict) else None
            stated = isinstance(types, Mapping) and "nodes" in self._given and all(isinstance(t, Mapping) for t in types.values())
            whole = stated and "merge" not in self._given and not any("of" in t for t in types.values())  # type: ignore[union-attr]
            document = {"format": "factosim-platform", "version": 1, **self._given} if whole else self._shown()
            self._document = with_absolute_paths(document, Path.cwd())
        return self._document

    def _shown(self) -> dict[str, Any]:
        """Asks the program for the platform, merged and with its variants whole."""
        if not isinstance(self._given, dict):
            shown: dict[str, Any] = call_json("platform", "show", self._given)
            return shown
        if "file" in self._given:
            nodes = {"nodes": self._given["nodes"]} if "nodes" in self._given else {}
            return {**Cluster(self._given["file"]).document, **nodes}
        with TemporaryFolder() as folder:
            file = folder / "platform.json"
            document = {"format": "factosim-platform", "version": 1, **self._given}
            file.write_text(json.dumps(with_absolute_paths(document, Path.cwd())))
            shown = call_json("platform", "show", file, names={str(file): "<platform>"})
        return shown

    def _node_list(self) -> list[dict[str, Any]]:
        return self._nodes if self._nodes is not None else list(self.document["nodes"])

    def _counted(self, nodes: Nodes) -> list[dict[str, Any]]:
        """Returns nodes as the key "nodes" of a scenario's platform has them."""
        types = self.node_types
        if isinstance(nodes, int) and not isinstance(nodes, bool):
            if len(types) != 1:
                raise InputError(f"nodes#: is {nodes}, and the platform has {len(types)} types of nodes ({', '.join(types)}). "
                                 f'Say how many of each: {{"{types[0]}": {nodes}}}')
            nodes = {types[0]: nodes}
        if isinstance(nodes, Mapping):
            nodes = [{"type": name, "count": count} for name, count in nodes.items()]
        if not isinstance(nodes, Sequence) or isinstance(nodes, str) or not all(isinstance(entry, Mapping) for entry in nodes):
            raise InputError(f'nodes#: is {nodes!r}. Give a number, or numbers by type: {{"{types[0]}": 4}}')
        out = [dict(entry) for entry in nodes]
        for entry in out:
            expect_known("nodes#", entry.get("type"), types, "node type of the platform")
            count = entry.setdefault("count", 1)
            if not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise InputError(f"nodes#: has {count!r} nodes of type {entry['type']}. Give a number from 1 on")
        return out

    def figure(self) -> Figure:
        """Draws the machines with the rates of their buses and the network."""
        folder = TemporaryFolder()
        file = folder.path / "platform.json"
        file.write_text(json.dumps({**self.document, "nodes": self._node_list()}))
        return figure_of_program("--output", "platform", "show", file, names={str(file): repr(self), file.stem: "platform"}, kept=folder)

    def copy(self) -> "Cluster":
        """Returns a copy, whose durations can be changed."""
        return copy.deepcopy(self)

    @checked
    def set_duration(self, type: str, kernel: str, worker: str, seconds: float, nb: int, precision: str) -> None:
        """Sets how long a kernel lasts.

        type        of the nodes
        kernel      its name
        worker      "cpu": each core, or "cuda0": the first GPU
        seconds     above 0
        nb          rows of the tiles
        precision   "double", "single", "tf32", "half", "bfloat16" or "fp8"

        Raises InputError for other values, and for types and workers that the platform has not.
        """
        expect_known("kernels#", type, self.node_types, "node type of the platform")
        workers = ["cpu", *(f"cuda{g}" for g in range(dict(zip(self.node_types, self.gpu_counts))[type]))]
        expect_known(f"kernels#/{type}/{kernel}", worker, workers, "worker of the nodes")
        expect_known("precision#", precision, _PRECISIONS, "precision")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= 1e12:
            raise InputError(f"kernels#/{type}/{kernel}: is {seconds!r} (a kernel lasts some time). Give seconds above 0")
        if not isinstance(nb, int) or isinstance(nb, bool) or not 1 <= nb <= 1_000_000:
            raise InputError(f"nb#: is {nb!r} (a tile has rows). Give a number from 1 to 1000000")
        self._durations[type, kernel, worker, nb, precision] = float(seconds)

    def _value(self, write: Callable[[str, str, str, str], str]) -> Any:
        """Returns the platform as a scenario names it; for the package. `write` makes files that this needs, of a name, an ending, a
        text and the words that messages have for it."""
        if not self._durations and not (isinstance(self._given, dict) and "node_types" in self._given):
            if self._nodes is None:
                return self._given
            rest = dict(self._given) if isinstance(self._given, dict) else {"file": self._given}
            return {**rest, "nodes": self._nodes}
        document = copy.deepcopy(self.document)
        document["nodes"] = self._node_list()
        for name in dict.fromkeys(key[0] for key in self._durations):
            node_type = document["node_types"][name]
            node_type["kernels"] = write("kernels", ".json", self._kernel_file(name, node_type.get("kernels")), "kernels")
            node_type.pop("cycle_time_s", None)
        return write("platform", ".json", json.dumps(document), "<platform>")

    def _kernel_file(self, node_type: str, base: Optional[str]) -> str:
        """Returns the file of the timings of a node type, with those set here instead of their own."""
        model: dict[str, Any] = {"format": "factosim-kernels", "version": 1, "machine": node_type,
                                 "provenance": "durations set in Python", "estimate": False, "kernels": {}}
        if base is not None:
            model = json.loads(Path(base).read_text())
            model["provenance"] = f"{model.get('provenance', '')} Some durations were set in Python.".strip()
        for (of_type, kernel, worker, nb, precision), seconds in self._durations.items():
            if of_type != node_type:
                continue
            subject = {"precision": precision, "worker": worker, "nb": nb}
            known = [t for t in model["kernels"].get(kernel, []) if any(t.get(k) != v for k, v in subject.items())]
            model["kernels"][kernel] = [*known, {**subject, "mean_s": seconds, "deviation_s": 0, "samples": 1}]
        return json.dumps(model)


PlatformValue = Union[str, "os.PathLike[str]", Mapping[str, Any], Cluster]


@checked
def platform(platform: PlatformValue, nodes: Nodes = None) -> Cluster:
    """Returns a platform: the name of a shipped one (`list_of("platforms")`), a file, or a dict with the keys of a file.

    platform   the name, the file or the dict; or a Cluster, to be copied
    nodes      4 of its only type of nodes, or {"chetemi": 14, "chifflet": 8}; without, those that it states

    Raises InputError for unknown names and types.
    """
    if isinstance(platform, Cluster):
        out = platform.copy()
        if nodes is not None:
            out._nodes = out._counted(nodes)
        return out
    out = Cluster(platform, nodes)
    _ = out.document  # wrong names are errors here, not later
    return out


@checked
def read_cluster(platform: PlatformValue) -> Cluster:
    """Reads a platform: `platform` without a choice of nodes. Raises InputError for unknown names."""
    return _platform(platform)


_platform = platform
