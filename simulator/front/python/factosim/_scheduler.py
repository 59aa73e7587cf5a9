"""Scheduling policies in Python."""

from __future__ import annotations

from typing import NamedTuple, Optional

from factosim import _factosim


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
