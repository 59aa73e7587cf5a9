"""Simulates task graphs on heterogeneous clusters.

    import factosim

    run = factosim.run("scenario.json", {"nt": 30})
    print(run.makespan_s, run.bounds["abe_s"])
    tasks = pandas.DataFrame(run.tasks)

Scenarios are files or dicts (`run`, `sweep`, `bounds`, `distribute`), or task graphs built in Python (`TaskFlow`,
`simulate_graph`); policies may be Python classes (`Scheduler`). Each simulation runs in a process of its own.
"""

from factosim._errors import ContractError, Error, InfeasibleError, InputError, RunStopped
from factosim._factosim import ALL_WORKERS, FIRST_IDLE, Cluster, Node, TaskFlow, TaskGraph
from factosim._export import write_csv, write_starvz
from factosim._graph import read_cluster, simulate_graph
from factosim._report import Figure, Page, figure, report
from factosim._run import Run, Trace, open_run
from factosim._scenario import bounds, distribute, load, run
from factosim._scheduler import Scheduler, Worker
from factosim._sweep import sweep
from factosim._factosim import figure_panels, git_revision, network_model_names, scheduler_names
from factosim._factosim import version as _version

__version__ = _version()

__all__ = [
    "ALL_WORKERS",
    "Cluster",
    "ContractError",
    "Error",
    "FIRST_IDLE",
    "Figure",
    "InfeasibleError",
    "InputError",
    "Node",
    "Page",
    "Run",
    "RunStopped",
    "Scheduler",
    "TaskFlow",
    "TaskGraph",
    "Trace",
    "Worker",
    "bounds",
    "distribute",
    "figure",
    "figure_panels",
    "git_revision",
    "load",
    "network_model_names",
    "open_run",
    "read_cluster",
    "report",
    "run",
    "scheduler_names",
    "simulate_graph",
    "sweep",
    "write_csv",
    "write_starvz",
]
