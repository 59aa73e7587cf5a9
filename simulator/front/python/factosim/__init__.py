"""Simulates task graphs on heterogeneous clusters.

    import factosim

    run = factosim.run("scenario.json", {"nt": 30})
    print(run.summary())
    tasks = pandas.DataFrame(run.tasks)

Scenarios are files or dicts (`run`, `sweep`, `bounds`, `distribute`, `advise`, `schedule`), whose values may be task graphs
(`TaskFlow`, `read_graph`, `convert`, `from_networkx`), platforms (`platform`), arrays, and policies as classes (`Scheduler`). Runs are
compared and checked (`compare`, `check`) and shown (`report`, `figure`). Each simulation runs in a process of its own.
"""

from factosim._errors import ContractError, Error, InfeasibleError, InputError, RunStopped
from factosim._factosim import ALL_WORKERS, FIRST_IDLE, Node, TaskFlow, TaskGraph
from factosim._convert import convert
from factosim import _flow as _flow
from factosim._export import write_csv, write_starvz
from factosim._graph import from_networkx, read_graph, simulate_graph, to_networkx
from factosim._platform import Cluster, platform, read_cluster
from factosim._report import Figure, Page, figure, report
from factosim._run import Run, Trace, open_run
from factosim._scenario import bounds, distribute, distribution_figure, load, run
from factosim._scheduler import Scheduler, Worker
from factosim._studies import Advice, Comparison, advise, calibrate, check, compare, export, import_models, import_platform, import_starpu
from factosim._studies import list_of, record, schedule, schema, validate
from factosim._sweep import open_sweep, sweep
from factosim._factosim import figure_panels, git_revision, network_model_names, scheduler_names
from factosim._factosim import version as _version

__version__ = _version()

__all__ = [
    "ALL_WORKERS",
    "Advice",
    "Cluster",
    "Comparison",
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
    "advise",
    "bounds",
    "calibrate",
    "check",
    "compare",
    "convert",
    "distribute",
    "distribution_figure",
    "export",
    "figure",
    "figure_panels",
    "from_networkx",
    "git_revision",
    "import_models",
    "import_platform",
    "import_starpu",
    "list_of",
    "load",
    "network_model_names",
    "open_run",
    "open_sweep",
    "platform",
    "read_cluster",
    "read_graph",
    "record",
    "report",
    "run",
    "schedule",
    "scheduler_names",
    "schema",
    "simulate_graph",
    "sweep",
    "to_networkx",
    "validate",
    "write_csv",
    "write_starvz",
]
