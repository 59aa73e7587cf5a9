"""Built-in policies, written again in Python."""

import collections
import math

import factosim


class Eager(factosim.Scheduler):
    """One queue for each set of workers that can run a task, first in, first out."""

    def __init__(self, node: factosim.Node) -> None:
        super().__init__(node)
        self.queues: dict[tuple[bool, ...], collections.deque[tuple[int, int]]] = {}
        self.queue_of: dict[tuple[float, ...], collections.deque[tuple[int, int]]] = {}
        self.of_worker: list[list[collections.deque[tuple[int, int]]]] = [[] for _ in node.workers]
        self.ticket = 0

    def new_queue(self, durations: tuple[float, ...]) -> collections.deque[tuple[int, int]]:
        able = tuple(not math.isinf(d) for d in durations)
        if able not in self.queues:
            self.queues[able] = collections.deque()
            for worker, can_run in enumerate(able):
                if can_run:
                    self.of_worker[worker].append(self.queues[able])
        self.queue_of[durations] = self.queues[able]
        return self.queues[able]

    def push(self, task: int, pusher: int) -> int:
        durations = self.node.durations(task)
        queue = self.queue_of.get(durations)
        if queue is None:
            queue = self.new_queue(durations)
        queue.append((self.ticket, task))
        self.ticket += 1
        return factosim.FIRST_IDLE

    def pop(self, worker: int) -> "int | None":
        best = None
        for queue in self.of_worker[worker]:
            if queue and (best is None or queue[0] < best[0]):
                best = queue
        return best.popleft()[1] if best else None


class Queue:
    """The tasks of one worker and when it will have run them."""

    def __init__(self) -> None:
        self.waiting: collections.deque[tuple[int, float]] = collections.deque()
        self.popped: dict[int, float] = {}
        self.start = self.queued = self.pipeline = 0.0

    def end(self, now: float) -> float:
        return max(self.start, now) + self.queued


class Dm(factosim.Scheduler):
    """The worker with the earliest expected end."""

    prefetches = True
    shares_tasks = False

    def __init__(self, node: factosim.Node) -> None:
        super().__init__(node)
        self.queues = [Queue() for _ in node.workers]

    def push(self, task: int, pusher: int) -> int:
        now = self.node.now
        best, best_end = -1, math.inf
        durations = self.node.durations(task)
        for worker, queue in enumerate(self.queues):
            duration = durations[worker]
            if duration < math.inf:
                end = max(queue.end(now), now) + duration
                if end < best_end:
                    best, best_end = worker, end
        queue = self.queues[best]
        queue.start = max(queue.start, now)
        queue.queued += durations[best]
        queue.waiting.append((task, durations[best]))
        return best

    def pop(self, worker: int) -> "int | None":
        queue = self.queues[worker]
        now = self.node.now
        queue.start = max(queue.start, now)
        if not queue.waiting:
            return None
        task, duration = queue.waiting.popleft()
        queue.popped[task] = duration
        queue.start = now + queue.pipeline
        return task

    def started(self, worker: int, task: int) -> None:
        queue = self.queues[worker]
        queue.pipeline += queue.popped[task]
        queue.queued -= queue.popped[task]
        queue.start = self.node.now + queue.pipeline

    def finished(self, worker: int, task: int) -> None:
        queue = self.queues[worker]
        queue.pipeline -= queue.popped.pop(task)
        queue.start = max(self.node.now + queue.pipeline, queue.start)
