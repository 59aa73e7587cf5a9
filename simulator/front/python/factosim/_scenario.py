"""Simulates scenarios: files, or dicts with the same keys."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from factosim import _child, _factosim
from factosim._document import Document, Scenario, Settings, load
from factosim._errors import ContractError, InputError
from factosim._progress import Bar, Choice
from factosim._record import record
from factosim._run import Run, Series
from factosim._scheduler import PolicyChoice

__all__ = ["bounds", "distribute", "load", "run"]


def _control_of(
    document: Document,
    folder: Path,
    force: bool,
    trace: Optional[bool],
    series: Series,
    replicas: int,
    interval: float,
    jobs: Optional[int],
) -> dict[str, Any]:
    for name, value, least in (("replicas", replicas, 1), ("jobs", jobs, 1), ("series", series, 0)):
        if value is not None and not (isinstance(value, (int, np.integer)) and value >= least):
            raise InputError(f"{name}#: is {value!r}. Give a number from {least} on")
    if isinstance(interval, bool) or not isinstance(interval, (int, float)) or not 0.01 <= interval <= 0.9999:
        raise InputError(f"interval#: is {interval!r} (a probability is expected). Give a number from 0.01 to 0.9999")
    if trace is not None and not isinstance(trace, bool):
        raise InputError(f"trace#: is {trace!r}. Give True or False")
    points = {True: 1000, False: 0}[series] if isinstance(series, bool) else series
    policy = document.policy
    return {
        "out": str(folder),
        "force": force,
        "trace": trace,
        "series_points": points,
        "replicas": int(replicas),
        "interval": float(interval),
        "jobs": int(jobs or 0),
        "scheduler": policy.make if policy is not None else None,
        "scheduler_values": policy.values if policy is not None else {},
    }


def run(
    scenario: Scenario,
    set: Settings = None,
    *,
    scheduler: PolicyChoice = None,
    replicas: int = 1,
    interval: float = 0.95,
    jobs: Optional[int] = None,
    out: Union[None, str, "os.PathLike[str]"] = None,
    force: bool = False,
    trace: Optional[bool] = None,
    series: Series = None,
    progress: Choice = None,
    isolated: bool = True,
    **overrides: Any,
) -> Run:
    """Simulates a scenario and returns its run.

    scenario   a file, or a dict with the keys of one; relative paths in a dict start from the current folder. Values of a
               dict, and of `set`, may also be Python's:
               "platform"      a Cluster (`platform("mirage", nodes=4)`), or a whole platform as a dict
               "application"   a TaskGraph, also as {"type": "graph", "file": graph, "nb": 960}
               "distribution"  the name of one, an integer array [mt, nt] of the nodes that own the tiles, or, with a
                               TaskGraph, [handles]; -1 there: no one
               "scheduler"     the name of a policy, a class, or {"type": class, parameters}, which the result records
               "network"       the name of a network model
    set        keys to change: {"nt": 30, "/scheduler/type": "dm"}, or ["nt=30"] as of `factosim run --set`; those that are
               names of Python may be given by name: run(scenario, nt=30)
    scheduler  a policy, as above, instead of the scenario's
    replicas   simulate so many times, with the seeds that follow the scenario's: `Run.replicas`
    interval   probability that the prediction interval of replicas holds one further run
    jobs       replicas at once; as many as cores by default
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
    if scheduler is not None:
        overrides = {**overrides, "scheduler": scheduler if not isinstance(scheduler, str) else {"type": scheduler}}
    document = Document(scenario, set, overrides)
    folder = document.folder / "run" if out is None else Path(out)
    control = _control_of(document, folder, force, trace, series, replicas, interval, jobs)
    summary = document.folder / "summary.txt"

    def simulate(report: _child.Progress) -> None:
        summary.write_text(_factosim.simulate_scenario(*document.arguments(), {**control, "progress": report}))
        record(document, folder)

    with document.own_words():
        _perform(simulate, progress, isolated)
    done = Run(folder, document, summary.read_text())
    spread = done.replicas.get("makespan_s", {})
    if replicas > 1 and len({*spread.get("values", [0, 1])}) == 1:
        warnings.warn(f"all {replicas} replicas are the same (no policy draws, and no noise changes a timing that has a "
                      'deviation). See "noise" in scenarios/README.md', stacklevel=2)
    return done


def _perform(simulate: Any, progress: Choice, isolated: bool) -> None:
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
    document = Document(scenario, set, overrides)
    with document.own_words():
        out: dict[str, Any] = json.loads(_factosim.bounds(*document.arguments()))
    return out


def distribute(scenario: Scenario, set: Settings = None, **overrides: Any) -> npt.NDArray[np.int32]:
    """Returns the node that owns each tile, [mt, nt], by the distribution of a scenario; -1 where no tile is stored."""
    document = Document(scenario, set, overrides)
    with document.own_words():
        return _factosim.distribute(*document.arguments())
