import factosim, pandas

run = factosim.run("scenarios/first/lu_mirage.json", nt=30)
tasks = pandas.DataFrame(run.tasks)
print(tasks.groupby(["kernel", "worker"])["duration_s"].agg(["count", "mean"]))
