"""Your own Gantt chart, of the columns of a run in a file or of any DataFrame: own_figure.py tasks.csv gantt.pdf"""

import sys

import matplotlib.pyplot as plt
import pandas

tasks = pandas.read_csv(sys.argv[1])
figure, axes = plt.subplots(figsize=(88 / 25.4, 60 / 25.4))
rows = {name: row for row, name in enumerate(sorted(set(zip(tasks["node"], tasks["worker"])), reverse=True))}
for color, (kernel, of_kernel) in enumerate(tasks.groupby("task")):
    at = [rows[name] for name in zip(of_kernel["node"], of_kernel["worker"])]
    axes.barh(at, of_kernel["end_s"] - of_kernel["start_s"], left=of_kernel["start_s"], color=f"C{color}", label=kernel)
axes.set(xlabel="time (s)", yticks=range(len(rows)), yticklabels=[f"{node} {worker}" for node, worker in rows])
axes.legend(fontsize=6, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
figure.savefig(sys.argv[2], bbox_inches="tight")
