"""What the program finds out by many runs, or about runs: comparison, advice, schedules, audits, calibration."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from factosim._arrays import np, npt
from factosim._document import Document, Scenario, Settings
from factosim._errors import InputError
from factosim._factosim import TaskGraph
from factosim._graph import read_graph
from factosim._kinds import checked
from factosim._platform import with_absolute_paths
from factosim._program import call, call_json, options
from factosim._report import Shown, paths_of
from factosim._run import TemporaryFolder

Columns = dict[str, npt.NDArray[Any]]
PathLike = Union[str, "os.PathLike[str]"]
Paths = Union[PathLike, Sequence[PathLike]]


def columns_of(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Returns rows as columns, which pandas.DataFrame takes as they are; None, or NaN among numbers, where a row has no value."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: list[Any]) -> npt.NDArray[Any]:
    numbers = (int, float, np.integer, np.floating)
    if all(isinstance(v, numbers) and not isinstance(v, bool) for v in values):
        return np.array(values)
    if all(v is None or (isinstance(v, numbers) and not isinstance(v, bool)) for v in values) and any(v is not None for v in values):
        return np.array([np.nan if v is None else v for v in values], float)
    out = np.empty(len(values), object)
    out[:] = values
    return out


class Comparison:
    """Where two runs, or two graphs, differ. `print` shows what `factosim compare` prints.

    result   all of it, as `factosim compare --json` prints it
    text     the same in words, or as a LaTeX table
    """

    def __init__(self, result: dict[str, Any], text: str) -> None:
        self.result = result
        self.text = text

    def __str__(self) -> str:
        return self.text

    @property
    def difference_s(self) -> float:
        """The makespan of the second run minus that of the first, in seconds. Raises InputError for graphs."""
        if "makespan" not in self.result:
            raise InputError('comparison#: is of graphs (they have no makespan). Simulate both, or see `result` and `kernels`')
        return float(self.result["makespan"]["difference_s"])

    @property
    def main_cause(self) -> Optional[str]:
        """The cause of most of the difference; None where the causes are not known."""
        causes = self.result.get("causes")
        return str(causes["main"]) if causes and causes.get("main") else None

    @property
    def causes(self) -> Columns:
        """The causes of the difference, in seconds, and relative to the first makespan: columns, for pandas.DataFrame."""
        return columns_of(self.result.get("causes", {}).get("parts", []))

    @property
    def kernels(self) -> Columns:
        """The kernels, on each kind of worker in both runs, or in both graphs: columns."""
        rows = []
        for kernel in self.result.get("kernels", []):
            row = {k: v for k, v in kernel.items() if k not in ("a", "b", "traits") and not isinstance(v, list)}
            row.update({f"{k}_{run}": v for k, pair in kernel.items() if isinstance(pair, list) for run, v in zip("ab", pair)})
            for run in ("a", "b"):
                row.update({f"{key}_{run}": v for key, v in (kernel.get(run) or {}).items()})
            rows.append(row)
        return columns_of(rows)


@checked
def compare(a: Union[Shown, TaskGraph], b: Union[Shown, TaskGraph], *, simulation: bool = True, tolerance: Optional[str] = None, latex: bool = False,
            prove: bool = False, jobs: Optional[int] = None) -> Comparison:
    """Compares two runs, simulated or real, or two graphs. Differences are of `b` to `a`.

    a, b         objects, folders, or traces in any format that is read; or TaskGraphs, or their files
    simulation   simulate a run again with the kernel means of the other, where its scenario is in a file
    tolerance    how far apart they may be, "makespan=2%,kernel_mean=5%": what is beyond is in `result`
    latex        the text is a LaTeX table of totals and causes
    prove        simulate `a` with each combination of the keys, at most six, in which the scenario of `b` differs: "proof" in `result`
    jobs         simulations of `prove` at once; all cores by default

    Raises InputError for what is no run, and no graph.
    """
    with TemporaryFolder() as folder, paths_of((_as_file(a, folder, "A"), _as_file(b, folder, "B"))) as (paths, names):
        names.update({path: repr(value) for path, value in zip(paths, (a, b)) if isinstance(value, TaskGraph)})
        given = ["compare", *paths, *options(no_simulation=not simulation, prove=prove, jobs=jobs)]
        result = call_json(*given, *options(tolerance=tolerance), names=names)
        text = call(*given, "--quiet", *options(latex=latex), names=names)
        for path, name in names.items():
            text = text.replace(path, name).replace(f"  {Path(path).name}\n", f"  {name}\n")
        for key, path, value in zip("ab", paths, (a, b)):
            if isinstance(value, TaskGraph):
                result[key]["file"] = names[path]
        return Comparison(result, text)


def _as_file(value: Union[Shown, TaskGraph], folder: Path, name: str) -> Shown:
    """Returns the file of a graph; what is none, as it is."""
    if not isinstance(value, TaskGraph):
        return value
    value.save(folder / f"{name}.jsonl")
    return folder / f"{name}.jsonl"


@checked
def check(run: Shown, *, simulation: bool = True) -> dict[str, Any]:
    """Audits a finished run against rules and, unless `simulation` is False, a further simulation.

    run   an object, or the folder of a run

    Returns what `factosim check --json` prints: the number of "findings", and "checks" with those of each rule. What cannot be
    checked is "skipped" there: the further simulation where the policy is a class, which the program cannot call. Raises InputError
    for what is no run, or of an application without tasks.
    """
    with paths_of((run,)) as (paths, names):
        out: dict[str, Any] = call_json("check", *paths, *options(no_simulation=not simulation), names=names)
    for checked in out["checks"]:  # a trace names its scenario, and a scenario without a name its graph, which were no files
        source = [f for f in checked["first"] if (f["where"], f["what"]) == ("run.trace#/source", 'says "<scenario>"')
                  or (f["where"].endswith("/name") and "<graph>" in f["what"])]
        checked["first"] = [f for f in checked["first"] if f not in source]
        checked["findings"] -= len(source)
        out["findings"] -= len(source)
    return out


class Advice:
    """What `advise` found.

    best      the best choice: words, nodes, distribution, scheduler, nt, nb, makespan_s, gflops, node_hours
    scenario  it, as a scenario that `run` takes
    result    all of it, as `factosim advise --json` prints it
    """

    def __init__(self, result: dict[str, Any], folder: Path, kept: object = None) -> None:
        self.result = result
        self._kept = kept  # the files that the scenario names
        self.best: dict[str, Any] = result["best"]
        self.scenario: dict[str, Any] = with_absolute_paths(result["scenario"], folder)

    def __str__(self) -> str:
        return f"{self.best['words']}: {self.best['makespan_s']:.4g} s ({self.certainty})"

    @property
    def certainty(self) -> str:
        """How certain it is that nothing is better."""
        return str(self.result["search"]["certainty"])

    @property
    def front(self) -> Columns:
        """The choices that none beats in time and in cost: columns."""
        return columns_of(self.result["pareto_front"])


@checked
def advise(
    scenario: Scenario,
    set: Settings = None,
    *,
    objective: Optional[str] = None,
    deadline: Optional[float] = None,
    distributions: Optional[Sequence[str]] = None,
    schedulers: Optional[Sequence[str]] = None,
    tile_sizes: Optional[Sequence[int]] = None,
    formats: Optional[PathLike] = None,
    max_error: Optional[float] = None,
    runs: Optional[int] = None,
    seconds: Optional[float] = None,
    exhaustive: bool = False,
    replicas: Optional[int] = None,
    jobs: Optional[int] = None,
    force_large: bool = False,
    **overrides: Any,
) -> Advice:
    """Searches for the nodes, the distribution, the policy and the tile size with the smallest makespan (scenarios/sweeps.md#advice).

    scenario, set, overrides   a scenario, whose nodes are the inventory, and what to change in it, as of `run`
    objective       "makespan", "energy" or "node-hours"
    deadline        seconds that a run may last
    distributions, schedulers   names to choose from; schedulers: the scenario's by default
    tile_sizes      rows of a tile to choose from, for the same matrix
    formats, max_error   a factosim-format-errors file, and the largest error of precisions and ranks that are chosen from it
    runs, seconds   simulations, and time, at most; 100 runs by default
    exhaustive      simulate every choice
    replicas        of the best choices
    jobs            simulations at once; one a core by default
    force_large     begin even where more memory or time is likely to be needed than there is

    Raises InputError, and InfeasibleError if no choice fits.
    """
    document = Document(scenario, set, overrides)
    given = options(objective=objective, deadline=deadline, distributions=distributions, schedulers=schedulers,
                    tile_sizes=tile_sizes, formats=formats, max_error=max_error, runs=runs, seconds=seconds,
                    exhaustive=exhaustive, replicas=replicas, jobs=jobs, force_large=force_large)
    file, *settings = document.on_command_line()
    return Advice(call_json("advise", file, *settings, *given, names=document.names), Path(file).absolute().parent, document)


@checked
def schedule(
    scenario: Scenario,
    set: Settings = None,
    *,
    runs: Optional[int] = None,
    seconds: Optional[float] = None,
    jobs: Optional[int] = None,
    out: Optional[PathLike] = None,
    force: bool = False,
    force_large: bool = False,
    **overrides: Any,
) -> dict[str, Any]:
    """Searches for a static schedule: the worker of each task, and the order on each worker (scenarios/guide/schedule.md).

    scenario, set, overrides   a scenario and what to change in it, as of `run`; its `seed` is also that of the search
    runs, seconds   simulations, and time, at most
    jobs            simulations at once; one a core by default
    out             a folder for the schedule, and for a scenario that follows it; replaced with `force`
    force_large     begin even where more memory or time is likely to be needed than there is

    Returns what `factosim schedule --json` prints: "schedule", "bounds", the "portfolio" of policies, and the search. Raises
    InputError and InfeasibleError.
    """
    document = Document(scenario, set, overrides)
    given = options(runs=runs, seconds=seconds, jobs=jobs, out=out, force=force, force_large=force_large)
    result: dict[str, Any] = call_json("schedule", *document.on_command_line(), *given, names=document.names)
    return result


@checked
def calibrate(
    *traces: PathLike,
    out: Optional[PathLike] = None,
    platform: Optional[PathLike] = None,
    machine: bool = False,
    force: bool = False,
    **given: Any,
) -> dict[str, Any]:
    """Makes kernel timings of traces of real runs, or with `machine` of measurements here.

    traces     files or folders
    out        a file of kernel timings
    platform   a file of the machine
    force      replace these files
    given      further options of `factosim calibrate`, such as name="mycluster", tiles=[320, 640]

    Returns what `factosim calibrate --json` prints. Raises InputError for what is no trace, and unknown options.
    """
    result: dict[str, Any] = call_json("calibrate", *traces, *options(out=out, platform=platform, machine=machine, force=force, **given))
    return result


@checked
def import_models(folders: Paths, out: PathLike, *, force: bool = False, **given: Any) -> Path:
    """Makes kernel timings of StarPU's performance models, as `factosim import starpu-model`.

    folders   with the models: ~/.starpu; one or several
    out       the file; replaced with `force`; a folder for several hosts
    given     further options of the command, host="mirage"

    Returns the path. Raises InputError for folders without models.
    """
    return _imported("starpu-model", folders, out, force, given)


@checked
def import_starpu(folders: Paths, out: PathLike, *, force: bool = False, **given: Any) -> Path:
    """Makes a platform and its kernel timings of StarPU's measurements, as `factosim import starpu`.

    folders   with the measurements: ~/.starpu; one or several
    out       the file of the platform; timings are beside it, in NAME.kernels.json
    force     replace these files
    given     further options of the command, host="mirage", nic="infiniband-edr", ram="192GB"

    Returns the path of the platform. Raises InputError for folders without measurements.
    """
    return _imported("starpu", folders, out, force, given)


@checked
def import_platform(folders: Paths, out: PathLike, *, force: bool = False, **given: Any) -> Path:
    """Makes a platform of StarPU's bus measurements, as `factosim import starpu-platform`.

    folders, out, force   as of `import_models`
    given                 further options of the command, ram="192GB"

    Raises InputError for folders without measurements.
    """
    return _imported("starpu-platform", folders, out, force, given)


def _imported(what: str, folders: Paths, out: PathLike, force: bool, given: Mapping[str, Any]) -> Path:
    sources = [folders] if isinstance(folders, (str, os.PathLike)) else folders
    call("import", what, *sources, *options(output=out, force=force, **given))
    return Path(out)


@checked
def export(run: Shown, out: PathLike, format: str, *, force: bool = False, **given: Any) -> Path:
    """Writes a run in the format of another tool, as `factosim export`.

    run      an object, a folder, or a trace in any format that is read
    out      the file or folder; replaced with `force`
    format   "chrome", "starpu", "paje", "dot", "graph-jsonl", ...
    given    further options of the command, such as dependencies=True

    Returns the path. Raises InputError for other formats and options.
    """
    with paths_of((run,)) as (paths, names):
        call("export", *paths, *options(format=format, output=out, force=force, **given), names=names)
    return Path(out)


@checked
def record(command: Union[str, Sequence[Any]], out: PathLike, *, force: bool = False, **given: Any) -> TaskGraph:
    """Runs a program of StarPU or OpenMP without its kernels, and returns its tasks as a graph (scenarios/guide/record.md).

    command   the program and its arguments: ["./cholesky", "-size", 19200]
    out       the file of the graph; replaced with `force`
    given     further options of `factosim record`, such as execute=True, ranks=4

    Raises InputError for programs that cannot be recorded.
    """
    words = [command] if isinstance(command, (str, os.PathLike)) else list(command)
    if not words or words[0] == "":
        raise InputError(f'command#: is {command!r} (a program is recorded). Give it, and its arguments: ["./cholesky", "-size", 19200]')
    call("record", *options(output=out, force=force, **given), "--", *words)
    return read_graph(out)


@checked
def list_of(kind: str) -> list[dict[str, Any]]:
    """Returns what a scenario can name, with descriptions, and files of those that have one.

    kind   "platforms", "distributions", "policies", "applications", "examples", ...: `factosim list` names them

    Raises InputError for other kinds.
    """
    out: list[dict[str, Any]] = call_json("list", kind)
    return out


@checked
def schema(kind: str) -> dict[str, Any]:
    """Returns the JSON Schema of one kind of file.

    kind   "scenario", "platform", "sweep", "result", ...: messages name all

    Raises InputError for other kinds.
    """
    out: dict[str, Any] = json.loads(call("reference", "--schema", kind))
    return out


@checked
def validate(*files: PathLike) -> list[dict[str, Any]]:
    """Checks files of factosim without simulating: scenarios, platforms, kernel timings, sweeps, ...

    files   their paths

    Returns a dict for each: "file", "kind" and "problems", a list. Raises InputError without files.
    """
    out: list[dict[str, Any]] = call_json("validate", *files, partial=True)
    return out
