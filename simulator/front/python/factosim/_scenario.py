"""Simulates scenarios: files, or dicts with the same keys."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

from factosim import _child, _factosim
from factosim._arrays import np, npt
from factosim._document import Document, Scenario, Settings, load
from factosim._errors import ContractError, InputError
from factosim._kinds import checked, warn
from factosim._program import call_json, options
from factosim._progress import Bar, Choice
from factosim._record import record
from factosim._report import Figure, figure_of_program
from factosim._run import Run, Series
from factosim._scheduler import PolicyChoice

__all__ = ["bounds", "distribute", "distribution_figure", "load", "run"]


def _control_of(
    document: Document,
    folder: Path,
    force: bool,
    trace: Optional[bool],
    series: Series,
    replicas: int,
    interval: float,
    jobs: Optional[int],
    sensitivity: Optional[int],
) -> dict[str, Any]:
    for name, value, least in (("replicas", replicas, 1), ("jobs", jobs, 1), ("series", series, 0), ("sensitivity", sensitivity, 2)):
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
        "perturbed": int(sensitivity or 0),
        "interval": float(interval),
        "jobs": int(jobs or 0),
        "scheduler": policy.make if policy is not None else None,
        "scheduler_values": policy.values if policy is not None else {},
    }


@checked
def run(
    scenario: Scenario,
    set: Settings = None,
    *,
    scheduler: PolicyChoice = None,
    replicas: int = 1,
    interval: float = 0.95,
    sensitivity: Optional[int] = None,
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
    sensitivity   simulate so many times more, with durations and overheads changed within what they are known to: how far the
               makespan moves is `Run.sensitivity`
    jobs       replicas at once; as many as cores by default
    out        a folder to keep the run in, as `factosim run --out` does; replaced with `force`. Without one, the run is
               kept as long as the object that this function returns
    trace      keep the tasks and transfers: by default, those of up to a million tasks
    series     keep averages over time: True, or their number of points
    progress   False: do not show; True: show at once; or a function of tasks done and all tasks, which stops the run by
               returning False
    overrides  keys to change, by name
    isolated   False: simulate in this process, in which a policy can keep its objects. Only the first simulation of a
               process can then have the network model `simgrid`

    Raises InputError, InfeasibleError, RunStopped, ContractError, and whatever a policy raises.
    """
    if scheduler is not None:
        overrides = {**overrides, "scheduler": scheduler if not isinstance(scheduler, str) else {"type": scheduler}}
    document = Document(scenario, set, overrides)
    folder = document.folder / "run" if out is None else Path(out)
    control = _control_of(document, folder, force, trace, series, replicas, interval, jobs, sensitivity)
    summary = document.folder / "summary.txt"

    def simulate(report: _child.Progress) -> None:
        summary.write_text(_factosim.simulate_scenario(*document.arguments(), {**control, "progress": report}))
        record(document, folder)

    is_new = not folder.exists()
    try:
        with document.own_words():
            _perform(simulate, progress, isolated)
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # not empty, or never made
                folder.rmdir()
        raise
    done = Run(folder, document, summary.read_text())
    spread = done.replicas.get("makespan_s", {})
    if replicas > 1 and len({*spread.get("values", [0, 1])}) == 1:
        warn(f"all {replicas} replicas are the same (no policy draws, and no noise changes a timing that has a "
             'deviation). See "noise" in scenarios/README.md')
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


@checked
def bounds(scenario: Scenario, set: Settings = None, *, words: bool = False, **overrides: Any) -> dict[str, Any]:
    """Returns lower bounds of the makespan, in seconds, as `factosim bounds --json` prints them; nothing is simulated.

    scenario, set, overrides   a scenario and what to change in it, as of `run`
    words                      instead, what each node sends and receives, in words, and lower bounds of it
    """
    document = Document(scenario, set, overrides)
    if words:
        out: dict[str, Any] = call_json("bounds", *document.on_command_line(), "--words", names=document.names)
        return out
    with document.own_words():
        out = json.loads(_factosim.bounds(*document.arguments()))
    return out


@checked
def distribute(
    scenario: Scenario,
    set: Settings = None,
    *,
    improve: Optional[float] = None,
    evaluations: Optional[int] = None,
    starts: Optional[Sequence[str]] = None,
    chameleon: Union[None, str, "os.PathLike[str]"] = None,
    force: bool = False,
    **overrides: Any,
) -> npt.NDArray[np.int32]:
    """Returns the node that owns each tile, [mt, nt], by the distribution of a scenario; -1: no node. It is a distribution for `run`.

    Tiles that a symmetric application does not store have a node too, which does not count.

    scenario, set, overrides   a scenario and what to change in it, as of `run`
    improve       search for so many seconds for a map that is simulated to be done sooner, and return it
    evaluations   search with at most so many simulations: the same map on every machine
    starts        distributions to begin the search with, beside that of the scenario: ["1d1d", "block-cyclic"]
    chameleon     a file for the map, as Chameleon reads it; replaced with `force`
    """
    document = Document(scenario, set, overrides)
    given = options(improve=improve, evaluations=evaluations, starts=starts, chameleon=chameleon, force=force)
    if given:
        found = call_json("distribute", *document.on_command_line(), *given, names=document.names)["owner"]
        owners = np.array([[-1 if node is None else node for node in row] for row in found], np.int32)
        return np.where(owners < 0, owners.T, owners) if owners.shape[0] == owners.shape[1] else owners
    with document.own_words():
        return _factosim.distribute(*document.arguments())


@checked
def distribution_figure(scenario: Scenario, set: Settings = None, **overrides: Any) -> Figure:
    """Draws which node owns which tile: hues for types of nodes, shades for nodes.

    scenario, set, overrides   a scenario and what to change in it, as of `run`
    """
    document = Document(scenario, set, overrides)
    return figure_of_program("--svg", "distribute", *document.on_command_line(), names=document.names, kept=document)
