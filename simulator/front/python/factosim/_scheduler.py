"""Scheduling policies in Python."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Optional, Union

from factosim import _factosim
from factosim._errors import InputError


class Worker(NamedTuple):
    """A core or a GPU of a node."""

    gpu: bool
    memory: int  # its memory: 0 is the RAM
    busy_power: float  # watts above idle while a kernel runs; 0: unknown


def _workers(rows: list[tuple[bool, int, float]]) -> tuple[Worker, ...]:
    return tuple(Worker(*row) for row in rows)


class Scheduler:
    """Base class of policies. One object is made for each node; tasks and workers are numbers.

        class Eager(factosim.Scheduler):
            def __init__(self, node):
                super().__init__(node)
                self.ready = collections.deque()

            def push(self, task, pusher):
                self.ready.append(task)
                return factosim.ALL_WORKERS

            def pop(self, worker):
                return self.ready.popleft() if self.ready else None

        factosim.run("scenario.json", scheduler=Eager)

    A policy with parameters, `__init__(self, node, alpha)`, is {"type": Eager, "alpha": 3}; results record them.

    Three values, which may be set in the class or in __init__, describe the policy to the simulated runtime system:

    prefetches        operands are brought to the worker that `push` names before it pops the task
    shares_tasks      a worker may pop tasks that were not assigned to it; idle workers are then woken more often
    knows_priorities  tasks and their transfers have the priorities of the application
    """

    prefetches: bool = False
    shares_tasks: bool = True
    knows_priorities: bool = False

    def __init__(self, node: _factosim.Node) -> None:
        self.node = node

    def push(self, task: int, pusher: int) -> int:
        """A task became ready. `pusher`: the worker that made it so; -1 if none of this node did.

        Returns the worker that will run the task; FIRST_IDLE to wake the first idle worker that can run it; or ALL_WORKERS
        to wake all of them: the first to call `pop` gets it.
        """
        raise NotImplementedError

    def pop(self, worker: int) -> Optional[int]:
        """Removes and returns the next task of a worker; None if there is none for it."""
        raise NotImplementedError

    def started(self, worker: int, task: int) -> None:
        """The kernel of a popped task starts on its worker."""

    def finished(self, worker: int, task: int) -> None:
        """The kernel of a popped task ends on its worker."""


PolicyClass = Callable[..., Any]  # a class, or a function of a node that returns a policy
PolicyChoice = Union[None, str, PolicyClass, Mapping[str, Any]]


class OwnPolicy(NamedTuple):
    """A policy in Python: what makes it of a node, and its parameters, for results."""

    make: Callable[[_factosim.Node], Any]
    values: dict[str, Any]


def own_policy(choice: PolicyChoice, where: str) -> Optional[OwnPolicy]:
    """Returns the policy of a class, a function or {"type": class, parameters}; None for those that have names.

    Raises InputError if it is none of these, or does not take its parameters.
    """
    kind = choice.get("type") if isinstance(choice, Mapping) else choice
    values = {k: v for k, v in choice.items() if k != "type"} if isinstance(choice, Mapping) else {}
    if choice is None or isinstance(kind, str) or (isinstance(choice, Mapping) and kind is None):
        return None
    if not callable(kind) or isinstance(kind, _factosim.TaskGraph):
        raise InputError(f"{where}: is {choice!r}. Give the name of a policy, a class, or a dict with its \"type\"")
    first: tuple[Any, ...] = ()
    if isinstance(kind, functools.partial):
        first, values, kind = kind.args, {**kind.keywords, **values}, kind.func
    name = getattr(kind, "__name__", type(kind).__name__)
    missing = [method for method in ("push", "pop") if inspect.isclass(kind) and not hasattr(kind, method)]
    if missing:
        raise InputError(f"{where}: {name} has no {missing[0]} (a policy gets and gives tasks). Derive it of factosim.Scheduler")
    try:
        signature: Optional[inspect.Signature] = inspect.signature(kind)
    except ValueError:
        signature = None  # of a function that has none
    try:
        if signature is not None:
            signature.bind(*first, None, **values)
    except TypeError as error:
        raise InputError(f"{where}: {name} cannot be made of a node and {values} ({error}). Give the parameters of its "
                         "__init__") from None
    make = functools.partial(kind, *first, **values) if first or values else kind
    known = {**{f"argument {i}": v for i, v in enumerate(first)}, **values}
    return OwnPolicy(make, {k: _recorded(v) for k, v in known.items()})


def _recorded(value: Any) -> Any:
    """Returns a parameter as results state it: numbers, texts and lists of numbers as they are, others as Python shows them."""
    plain = value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
    if isinstance(plain, (bool, float, str)) or (isinstance(plain, int) and -(2**63) <= plain < 2**63):
        return plain
    if isinstance(plain, (list, tuple)) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in plain):
        return [float(v) for v in plain]
    return repr(plain)
