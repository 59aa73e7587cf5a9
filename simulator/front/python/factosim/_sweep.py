"""Sweeps: many simulations at once."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Union

import numpy as np
import numpy.typing as npt

from factosim._errors import Error
from factosim._progress import Bar, Choice
from factosim._run import Run, TemporaryFolder
from factosim._scenario import Scenario, run

Point = dict[str, Any]
Grid = Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]]

_function: Optional[Callable[..., Any]] = None  # of the sweep, in its processes


def _prepare(function: Callable[..., Any], folder: Path) -> None:
    global _function
    _function = function
    TemporaryFolder.parent = folder  # removed by the sweep, however this process ends
    Bar.automatic = False
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sweep ends this process


def _evaluate(point: Point) -> Point:
    assert _function is not None
    answer = _function(**point)
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
    return out


def _points(grid: Grid) -> list[Point]:
    if isinstance(grid, Mapping):
        values = [list(column) for column in grid.values()]
        return [dict(zip(grid, combination)) for combination in itertools.product(*values)]
    return [dict(point) for point in grid]


def sweep(
    what: Union[Callable[..., Any], Scenario],
    grid: Grid,
    *,
    processes: Optional[int] = None,
    errors: str = "raise",
    progress: Choice = None,
) -> dict[str, npt.NDArray[Any]]:
    """Evaluates a function, or runs a scenario, at all points of a grid, in several processes.

    what       a function of the grid's names that returns a Run, a dict, or a value; or a scenario (a file or a dict),
               whose keys the names are: "nt", "/scheduler/type"
    grid       {"nt": [10, 20], "policy": ["dm", "dmdas"]} for all combinations, or a list of points
    processes  as many as there are cores by default
    errors     "raise", or "record": an Error of a point becomes text in the column "error"

    Returns columns in the order of the points, which pandas.DataFrame takes as they are: the names of the grid, then the
    numbers of the runs, the keys of the dicts, or "value". The result does not depend on `processes`.
    """
    if errors not in ("raise", "record"):
        raise ValueError('errors is "raise" or "record"')
    function = what if callable(what) else _runner(what)
    points = _points(grid)
    rows: list[Point] = [{} for _ in points]
    bar = Bar(progress, "points")
    temporary = TemporaryFolder()
    # Processes are forked: the function may be a lambda, or of a notebook.
    pool = ProcessPoolExecutor(
        processes or os.cpu_count() or 1, multiprocessing.get_context("fork"), _prepare, (function, temporary.path)
    )
    try:
        numbers = {pool.submit(_evaluate, point): number for number, point in enumerate(points)}
        for done, future in enumerate(as_completed(numbers), 1):
            try:
                rows[numbers[future]] = future.result()
            except Error as error:
                if errors == "raise":
                    raise
                rows[numbers[future]] = {"error": str(error)}
            bar(done, len(points))
    except BaseException:
        _end(pool)
        raise
    finally:
        bar.close()
        pool.shutdown(cancel_futures=True)
    return _columns([{**point, **row} for point, row in zip(points, rows)], "error" if errors == "record" else None)


def _end(pool: ProcessPoolExecutor) -> None:
    """Ends the processes of a pool, whose simulations end with them."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()


def _runner(scenario: Scenario) -> Callable[..., Run]:
    def simulate(**keys: Any) -> Run:
        return run(scenario, keys, trace=False, progress=False)

    return simulate


def _columns(rows: list[Point], always: Optional[str]) -> dict[str, npt.NDArray[Any]]:
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    if always is not None and always not in names:
        names.append(always)
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: list[Any]) -> npt.NDArray[Any]:
    numbers = (int, float, np.integer, np.floating)
    if all(isinstance(v, numbers) and not isinstance(v, bool) for v in values):
        return np.array(values)
    if all(v is None or (isinstance(v, numbers) and not isinstance(v, bool)) for v in values):
        return np.array([np.nan if v is None else v for v in values], float)
    out = np.empty(len(values), object)
    out[:] = values
    return out
