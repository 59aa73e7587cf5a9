"""An afternoon's study: a graph of one's own, a policy of one's own, replicas, reasons, advice, a figure, and a sweep that survives.

A script, and a notebook whose cells begin at `# %%`. It writes into the folder STUDY, and sweeps POINTS sizes.
"""

# %% A graph: a sweep over N x N tiles; tasks on the diagonal last three times as long, and edges report the last row
from __future__ import annotations

import os
from pathlib import Path

import factosim

folder = Path(os.environ.get("STUDY", "study"))
points = int(os.environ.get("POINTS", "4"))
N = 10  # tiles of a side

flow = factosim.TaskFlow()
update = flow.add_kernel("update", flops=2e9)
norm = flow.add_kernel("norm")
tile = {(m, n): flow.add_handle(8_000_000, m, n) for m in range(N) for n in range(N)}
last: list[int] = []
for m in range(N):
    for n in range(N):
        reads = [tile[at] for at in ((m - 1, n), (m, n - 1)) if at in tile]
        factor = 3 if m == n else 1
        task = flow.submit(update, *((handle, "r") for handle in reads), (tile[m, n], "rw"), m=m, n=n,
                           seconds={"cpu": 0.04 * factor, "cuda": 0.008 * factor}, priority=2 * N - m - n)
        if m == N - 1:
            last.append(task)
flow.submit(norm, seconds=0.001, after=[(task, 4096) for task in last])
wavefront = flow.finish()
print(wavefront)


# %% A policy: idle workers get the most urgent ready task; slow ones only if it is not `patience` times faster elsewhere
class Urgent(factosim.Scheduler):
    knows_priorities = True

    def __init__(self, node: factosim.Node, patience: float) -> None:
        super().__init__(node)
        self.patience = patience
        self.ready: list[int] = []

    def push(self, task: int, pusher: int) -> int:
        self.ready.append(task)
        return factosim.ALL_WORKERS

    def pop(self, worker: int) -> int | None:
        for task in sorted(self.ready, key=self.node.priority, reverse=True):
            seconds = self.node.durations(task)
            if seconds[worker] <= self.patience * min(seconds):
                self.ready.remove(task)
                return task
        return None


# %% Twenty replicas under both policies
scenario = {
    "name": "wavefront",
    "platform": factosim.platform("mirage", nodes=4),
    "application": wavefront,
    "distribution": {"type": "block-cyclic", "p": 2, "q": 2},
    "scheduler": {"type": Urgent, "patience": 8.0},
    "network": "maxmin",
    "noise": {"worker_speed_deviation": 0.02},
}
own = factosim.run(scenario, replicas=20, interval=0.9, out=folder / "own", force=True, progress=False)
other = factosim.run({**scenario, "scheduler": "dmdas"}, replicas=20, interval=0.9, progress=False)
for run in (own, other):
    low, high = run.interval
    policy = run.result["provenance"]["options"]["scheduler"]
    print(f"{policy['type']}: mean {run.replicas['makespan_s']['mean']:.3f} s, one more run {low:.3f} to {high:.3f} s")
own

# %% Why they differ
comparison = factosim.compare(own, other)
print(f"{comparison.difference_s:+.3f} s, mainly {comparison.main_cause}")
for cause, seconds in zip(comparison.causes["cause"], comparison.causes["seconds"]):
    if abs(seconds) > 1e-3:
        print(f"  {cause}: {seconds:+.3f} s")

# %% A figure for the paper, and a page
figure = factosim.figure({"own": own, "dmdas": other}, "nodes", "ready", size="170x110", font_size=8)
figure.save(folder / "policies.pdf")
factosim.report(own, other).save(folder / "policies.html")
figure

# %% Advice
factorization = {"platform": factosim.platform("mirage", nodes=4), "network": "maxmin",
                 "application": {"type": "cholesky", "nt": 12, "nb": 960}}
advice = factosim.advise(factorization, runs=10)
print("advice:", advice)
print(f"advised, simulated: {factosim.run(advice.scenario, progress=False).makespan_s:.3f} s")

# %% A sweep that goes on where it was killed
grid: dict[str, list[object]] = {"nt": list(range(8, 8 + points)), "/scheduler/type": ["dmda", "dmdas"]}
table = factosim.sweep(factorization, grid, out=folder / "sweep", resume=(folder / "sweep").exists(), processes=2)
lines = factosim.figure(folder / "sweep", "makespan_s", x="application/nt", lines="scheduler/type")
lines.save(folder / "sweep.pdf")
print(len(table["point"]), "points,", sum(status == "done" for status in table["status"]), "done")
lines
