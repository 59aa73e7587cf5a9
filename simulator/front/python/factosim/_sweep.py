"""Sweeps: many simulations at once."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _factosim
from factosim._arrays import np
from factosim._document import Document, Scenario
from factosim._errors import Error, InputError
from factosim._kinds import checked
from factosim._program import call, call_json, error_of, options
from factosim._progress import Bar, Choice
from factosim._run import Run, TemporaryFolder
from factosim._scenario import run
from factosim._studies import Columns, columns_of

Point = dict[str, Any]
Grid = Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]]

_function: Optional[Callable[..., Any]] = None  # of the sweep, in its processes
_points_to_do: list[Point] = []


def _prepare(function: Callable[..., Any], folder: Path, points: list[Point]) -> None:
    global _function, _points_to_do
    _function, _points_to_do = function, points
    TemporaryFolder.parent = folder  # removed by the sweep, however this process ends
    Bar.automatic = False
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sweep ends this process


def _evaluate(number: int) -> Point:
    assert _function is not None
    answer = _function(**_points_to_do[number])
    if isinstance(answer, Run):
        return _row(answer)
    if isinstance(answer, Mapping):
        return dict(answer)
    return {"value": answer}


def _row(run: Run) -> Point:
    """Numbers of a result that are not lists."""
    out: Point = {}
    for key in ("makespan_s", "gflops", "tasks", "tiles_sent", "bytes_sent", "utilization"):
        if key in run.result:
            out[key] = run.result[key]
    for group in ("metrics", "bounds"):
        for key, value in run.result.get(group, {}).items():
            if isinstance(value, (int, float)):
                out[key if group == "metrics" else f"bound_{key}"] = value
    for key, value in run.replicas.get("makespan_s", {}).items():
        if isinstance(value, (int, float)):
            out[f"makespan_{key}_s"] = value
    return out


def _points(grid: Grid) -> list[Point]:
    if isinstance(grid, str) or not isinstance(grid, Iterable):
        raise InputError(f'grid#: is {grid!r}. Give lists of values, such as {{"nt": [10, 20]}}, or a list of points')
    if isinstance(grid, Mapping):
        for name, column in grid.items():
            if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
                raise InputError(f"grid#/{name}: is {column!r} (every value is a point). Give a list, such as [{column!r}]")
        values = [list(column) for column in grid.values()]
        if none := next((name for name, column in zip(grid, values) if not column), None):
            raise InputError(f"grid#/{none}: is empty (there would be no point). Give it values")
        return [dict(zip(grid, combination)) for combination in itertools.product(*values)]
    points = list(grid)
    for number, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise InputError(f"grid#/{number}: is {point!r}. Give a dict of keys and values")
    return [dict(point) for point in points]


@checked
def sweep(
    what: Union[Callable[..., Any], Scenario],
    grid: Grid,
    *,
    processes: Optional[int] = None,
    replicas: int = 1,
    errors: str = "raise",
    progress: Choice = None,
    out: Union[None, str, "os.PathLike[str]"] = None,
    resume: bool = False,
    engine: str = "local",
    chunk: Optional[int] = None,
    sbatch: Sequence[str] = (),
    wait: bool = True,
    memory: Union[None, int, str] = None,
    force_large: bool = False,
) -> Columns:
    """Evaluates a function, or runs a scenario, at all points of a grid, in several processes.

    what       a function of the grid's names that returns a Run, a dict, or a value; or a scenario (a file or a dict),
               whose keys the names are: "nt", "/scheduler/type"; values as of `run`
    grid       {"nt": [10, 20], "policy": ["dm", "dmdas"]} for all combinations, or a list of points
    processes  as many as there are cores by default
    replicas   simulations of each point of a scenario, with different seeds
    errors     "raise", or "record": an exception of a point becomes text in the column "error"
    progress   as of `run`, of points
    out        a folder for the points of a scenario, in the program's own form (scenarios/sweeps.md): `factosim report`,
               `figure` and `open_sweep` read it
    resume     points that are done are kept, after whatever ended the sweep;
               `factosim sweep out/inputs/sweep.json --out out --resume` goes on with them, too
    engine     "slurm": with `out`, a job array on a cluster; its script and logs are in `out`/slurm. "list": simulate
               nothing, and return the column "command", of what can be run anywhere, at any time. After both of them without
               `wait`, `open_sweep(out, collect=True)` has the table
    chunk      points of one task of the array, or of one command
    sbatch     options of Slurm's sbatch, such as ["--partition=long"]
    wait       False: return when the job is submitted, with its number in the column "job"
    memory     with `out`, for all simulations at once: bytes, or "8GB"; what is free by default. `force_large`: begin also
               those that need more

    Returns columns in the order of the points, which pandas.DataFrame takes as they are: the names of the grid, then the
    numbers of the runs, the keys of the dicts, or "value"; with `out`, the columns of its table. The result does not depend on
    `processes`. Raises InputError for a wrong grid, and what a point raises.
    """
    if errors not in ("raise", "record"):
        raise InputError(f'errors#: is {errors!r}. Give "raise" or "record"')
    if processes is not None and (not isinstance(processes, int) or processes < 1):
        raise InputError(f"processes#: is {processes!r}. Give a number from 1 on")
    if memory is not None and not isinstance(memory, str) and memory < 1:
        raise InputError(f'memory#: is {memory}. Give bytes above 0, or a text such as "8GB"')
    points = _points(grid)
    if out is not None:
        if callable(what):
            raise InputError("out#: is given, and a function is swept (the folder of a sweep has a scenario). Leave it out")
        given = options(jobs=processes, resume=resume, chunk=chunk, engine=engine, no_wait=not wait, max_points=max(1, len(points) * replicas),
                        memory=memory if memory is None or isinstance(memory, str) else f"{memory}B", force_large=force_large)
        given += [f"--sbatch={option}" for option in sbatch]
        return _in_folder(what, points, replicas, Path(out), given, errors, "command" if engine == "list" else "" if wait else "job")
    if resume or engine != "local" or chunk is not None or sbatch or not wait or memory is not None or force_large:
        raise InputError("out#: is missing (resume, engines and limits of memory need a folder). Name one")
    function = what if callable(what) else _runner(what, replicas)
    rows: list[Point] = [{} for _ in points]
    bar = Bar(progress, "points")
    temporary = TemporaryFolder()
    # Processes are forked: the function, and values of the grid, may be lambdas, or of a notebook.
    pool = ProcessPoolExecutor(
        processes or os.cpu_count() or 1, multiprocessing.get_context("fork"), _prepare, (function, temporary.path, points)
    )
    try:
        numbers = {pool.submit(_evaluate, number): number for number in range(len(points))}
        for done, future in enumerate(as_completed(numbers), 1):
            try:
                rows[numbers[future]] = future.result()
            except Exception as error:
                if errors == "raise":
                    raise
                known = isinstance(error, Error)
                rows[numbers[future]] = {"error": str(error) if known else f"{type(error).__name__}: {error}"}
            bar(done, len(points))
    except BaseException:
        _end(pool)
        raise
    finally:
        bar.close()
        pool.shutdown(cancel_futures=True)
    table = [{**{name: _shown(value) for name, value in point.items()}, **row} for point, row in zip(points, rows)]
    return _with_errors(columns_of(table), len(table), errors)


def _with_errors(columns: Columns, rows: int, errors: str) -> Columns:
    if errors == "record" and "error" not in columns:
        columns.update(columns_of([{"error": None}] * rows))
    return columns


def _shown(value: Any) -> Any:
    """Returns a value of the grid as its column has it: classes and functions by name."""
    return getattr(value, "__name__", value) if callable(value) else value


def _end(pool: ProcessPoolExecutor) -> None:
    """Ends the processes of a pool, whose simulations end with them."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


def _runner(scenario: Scenario, replicas: int) -> Callable[..., Run]:
    def simulate(**keys: Any) -> Run:
        return run(scenario, keys, replicas=replicas, jobs=1, trace=False, progress=False)

    return simulate


def _in_folder(
    scenario: Scenario, points: list[Point], replicas: int, out: Path, given: list[str], errors: str, printed: str
) -> Columns:
    """Sweeps by the program, whose folder also gets what the sweep is of, as `inputs`. `printed`: what it prints, in place of a
    table: a "command" on each line, or the number of a "job"."""
    is_new = not out.exists()
    inputs = out / "inputs"
    try:
        inputs.mkdir(parents=True, exist_ok=True)
        document = Document(scenario, folder=inputs.resolve())
        file = document.on_command_line()[0]
        pointers: dict[str, str] = {}
        listed = [{_pointer(document, name, value, pointers): document.plain(name, value) for name, value in point.items()}
                  for point in points]
        sweep_file = inputs / "sweep.json"
        sweep_file.write_text(json.dumps({"format": "factosim-sweep", "version": 1, "name": out.name, "replicas": replicas,
                                          "scenario": str(Path(file).absolute()), "points": {"list": listed}}))
        names = {**document.names, str(sweep_file): "grid"}
        words = ["sweep", sweep_file, f"--out={out}", *given]
        if printed:
            text = call(*words)
        else:
            call_json(*words, names=names, partial=True)
    except BaseException:
        if is_new and not (out / "points").exists():
            shutil.rmtree(out, ignore_errors=True)
        raise
    if printed == "job":
        return {printed: np.array(re.findall(r"submitted as job (\d+)", text), object)}
    if printed:
        return {printed: np.array(text.splitlines(), object)}
    columns = open_sweep(out)
    if errors == "raise":
        if missing := int(np.sum(columns["status"] == "missing")):
            raise InputError(f"{out}#: lacks {missing} of {len(points) * replicas} points (jobs ended before they were simulated). Pass "
                             "resume=True")
        for code, message in zip(columns.get("code", []), columns["error"]):
            if message is not None:
                raise error_of(int(code), str(message))
    own = {pointer.strip("/"): name for name, pointer in pointers.items()}
    return _with_errors({own.get(key, key): column for key, column in columns.items()}, len(columns["point"]), errors)


def _pointer(document: Document, name: str, value: Any, known: dict[str, str]) -> str:
    """Returns the whole JSON pointer of a key of the grid; the value is for messages."""
    if name not in known:
        setting = _factosim.whole_settings(document.text, document.file, [f"{name}={value}"])[0][0]
        known[name] = setting.split("=", 1)[0]
    return known[name]


@checked
def open_sweep(folder: Union[str, "os.PathLike[str]"], *, collect: bool = False) -> Columns:
    """Returns the table of a sweep, of `factosim sweep --out` or of `sweep`, as columns: scenarios/sweeps.md#results.

    folder    where the sweep is
    collect   first write the table of the points that are done: of a `sweep` on Slurm, or by a list of commands

    "error" is the message of a point that is not done; None of the others. Raises InputError where there is no such table.
    """
    file = Path(folder) / "sweep.jsonl"
    made = Path(folder) / "inputs/sweep.json"
    if collect and made.is_file():
        call_json("sweep", made, f"--out={os.fspath(folder)}", "--collect", partial=True)
    if not file.is_file():
        raise InputError(f"{os.fspath(folder)}#: has no sweep.jsonl (it is not the folder of a sweep that has ended). Give that folder")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        row["error"] = None if row["status"] == "done" else row.get("message", row["status"])
    return columns_of(rows)
