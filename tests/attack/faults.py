#!/usr/bin/env python3
"""Plants single faults into the files of sound runs, with right checksums: tests/attack/faults.py PROGRAM [SEED [COUNT [KEEP]]]

Each fault is one value of result.json, run.trace or series.json that is changed, removed, added or exchanged. `factosim check` must find
nothing in the runs and every fault but those OUT_OF_REACH. Prints for each kind of faults how many were planted, found, and found by
rules, without the repetition of the simulation (refused: not read as a run). KEEP: folder for runs with missed faults.
"""

import collections
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from box import options
from recorded_run import RecordedRun

OUT_OF_REACH = {"result /simulation/wall_s": "differs from run to run", "result /simulation/peak_rss_bytes": "differs from run to run",
                "folder of timings": "where the program is installed"}


def on(platform, application, nt, *, nodes=None, **others):
    """A scenario; `nodes`: number of nodes by type."""
    place = {"file": platform, "nodes": [{"type": t, "count": n} for t, n in nodes.items()]} if nodes else platform
    keys = application if isinstance(application, dict) else {"type": application}
    return {"platform": place, "application": {"nt": nt, "nb": 960, **keys}, "network": {"model": "maxmin"}} | others


BASES = {
    "GPUs": on("mirage", "lu", 6, outputs={"series": True}),
    "replicas": on("mirage", "lu", 4, noise={"distribution": "normal"}),
    "small memories of GPUs": on("mirage", "cholesky", 7, runtime={"gpu_memory_fraction": 0.03}),
    "two types of nodes": on("lille", "lu", 7, nodes={"chifflet": 1, "chetemi": 2}, distribution={"type": "1d1d"}),
    "layers": on("lille", "gemm", 5, nodes={"chetemi": 4}, distribution={"type": "layers", "layers": 2}),
    "formats": on("lille", {"type": "cholesky", "tile_formats": {"bands": [{"below": 3, "precision": "double"}, {"precision": "single"}]}}, 7,
                  nodes={"chifflet": 2}),
    "nested tasks": on("mirage", {"type": "cholesky", "nested": {"tile": 320}}, 4, runtime={"max_gpus": 0}),
    "messages of GPUs": on("lille", "lu", 6, nodes={"chifflet": 2}, network={"model": "maxmin", "gpu_direct": "both"}),
    "out of core": on("mirage", "cholesky", 10, runtime={"out_of_core": True, "ram_limit_bytes": 400_000_000}),
    "exageostat": on("lille", "exageostat", 5, nodes={"chifflet": 1, "chetemi": 1}),
    "energy": on("leonardo-booster", "qr", 5),
    "noise": on("mirage", "lu", 6, noise={"distribution": "lognormal"}),
    "occupancy": on("h100", {"type": "lu", "nb": 1024}, 7, runtime={"workers_per_gpu": 3, "gpu_sharing": "occupancy"}),
    "ring on a wire": on("lille", "lu", 6, nodes={"chetemi": 4}, network={"model": "simgrid", "broadcast": "ring", "wire": "fifo"}),
    "graph": on("mirage", {"type": "graph", "file": "g.jsonl"}, 0),
    "replay": on("mirage", {"type": "trace", "file": "noise/run.trace"}, 0),
}
GRAPH = [{"task": t, "kernel": ["blas/gemm", "a~b", "gemm"][t % 3], "cpu_s": 0.01 * (1 + t % 4), "depends_on": [t // 2] if t > 1 else []}
         for t in range(1, 40)]


def leaves(tree, place=""):
    """All values of a document that hold no others, with their places."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    if not children:
        yield place
    for key, child in children:
        yield from leaves(child, f"{place}/{str(key).replace('~', '~0').replace('/', '~1')}")


def parent(tree, place):
    """The object or list that holds a value, and its key there."""
    *path, last = (key.replace("~1", "/").replace("~0", "~") for key in place.split("/")[1:])
    for key in path:
        tree = tree[int(key) if isinstance(tree, list) else key]
    return tree, int(last) if isinstance(tree, list) else last


def another(draw, value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice([value + 1, max(value - 1, 0) if value else 2, 2 * value + 1])
    if isinstance(value, float):
        return draw.choice([value * f for f in (0.5, 0.9, 1 - 1e-6, 1 + 1e-9, 1.1, 2)]) if value else 0.125
    return value + "x" if isinstance(value, str) else 1


def changed(document, pattern, change=None):
    """Changes one value whose place matches the pattern."""
    def plant(run, draw):
        tree = getattr(run, document)
        found = [place for place in leaves(tree) if re.fullmatch(pattern, place)] if tree is not None else []
        if not found:
            return False
        holder, key = parent(tree, draw.choice(found))
        new = (change or another)(draw, holder[key])
        if new == holder[key]:
            return False
        holder[key] = new
        return True
    return plant


def without(document, pattern):
    def plant(run, draw):
        tree = getattr(run, document)
        found = [place for place in leaves(tree) if re.fullmatch(pattern, place)]
        if not found:
            return False
        holder, key = parent(tree, draw.choice(found))
        del holder[key]
        return True
    return plant


def exchanged(pattern):
    """Exchanges two elements of a list."""
    def plant(run, draw):
        holder, key = parent(run.result, pattern)
        values = holder.get(key, [])
        if len(values) < 2 or values[0] == values[1]:
            return False
        values[0], values[1] = values[1], values[0]
        return True
    return plant


def column(name, steps):
    """Changes one element of a column by one of the steps."""
    def plant(run, draw):
        values = run.columns.get(name, [])
        known = [i for i, value in enumerate(values) if value == value]
        if not known:
            return False
        spot, step = draw.choice(known), draw.choice(steps)
        old = values[spot]
        try:
            values[spot] = 1 - old if name == "task.writes_back" else old + step
        except OverflowError:
            values[spot] = old - step
        return values[spot] != old
    return plant


def moved(start, end, steps):
    """Moves a task or transfer without changing how long it takes."""
    def plant(run, draw):
        if not run.columns.get(start):
            return False
        spot, step = draw.randrange(len(run.columns[start])), draw.choice(steps)
        if run.columns[start][spot] + step < 0:
            return False
        run.columns[start][spot] += step
        run.columns[end][spot] += step
        return True
    return plant


def cut(group):
    """Removes the last record of a group of columns."""
    def plant(run, draw):
        names = [name for name in run.columns if name.startswith(group + ".")]
        if not run.columns[names[0]]:
            return False
        for name in names:
            run.columns[name].pop()
        return True
    return plant


def same_kernels(run, draw, name):
    """Exchanges an entry of two tasks of one kernel."""
    kernels, values = run.columns["task.kernel"], run.columns[name]
    pairs = [(a, b) for a in range(len(kernels)) for b in range(a) if kernels[a] == kernels[b] and values[a] != values[b]]
    if not pairs:
        return False
    a, b = draw.choice(pairs)
    values[a], values[b] = values[b], values[a]
    return True


def unused_kernel(run, draw):
    unused = set(range(len(run.names["kernels"]))) - set(run.columns["task.kernel"])
    if not unused:
        return False
    run.names["kernels"][draw.choice(sorted(unused))]["name"] += "x"
    return True


RESULT = ["/makespan_s", "/gflops", "/tasks", "/tasks_by_kernel/.*", "/tiles_sent", "/bytes_sent", "/bounds/abe_s", "/bounds/abe_per_node_s/.*",
          "/bounds/critical_path_s", "/bounds/critical_path_with_comm_s", "/bounds/problem_s", "/bounds/problem/.*", "/bounds/distribution_s",
          "/bounds/distribution/.*_s", "/bounds/distribution/link", "/diagnosis/limit", "/diagnosis/share", "/diagnosis/text", "/diagnosis/limits/.*",
          "/utilization", "/utilization_first_90", "/activity_s", "/nodes/./type", "/nodes/./workers", "/nodes/./tasks", "/nodes/./tasks_by_worker/.*",
          "/nodes/./busy_s", "/nodes/./(first|last)_task_s", "/nodes/./activity_s", "/nodes/./tiles_.*", "/nodes/./(peak|over)_memory_bytes",
          "/nodes/./energy.*", "/nodes/./disk.*", "/transfers/.*", "/messages/.*", "/energy/.*", "/replicas/makespan_s/.*", "/replicas/gflops/.*",
          "/replicas/seeds/.*", "/findings/.*", "/name", "/estimate", "/provenance/factosim", "/provenance/git", "/provenance/simgrid",
          "/provenance/seed", "/provenance/options/.*", "/provenance/network_settings/.*", "/provenance/timings/./[^f].*",
          "/simulation/tasks_per_s", "/simulation/cpu_s", "/simulation/wall_s", "/simulation/peak_rss_bytes"]
NAMES = ["/nodes/./name", "/nodes/./type", "/memory_nodes/./name", "/workers/[0-9]+/name", "/workers/[0-9]+/gpu", "/kernels/[0-9]+/name",
         "/kernels/[0-9]+/timing", "/kernels/[0-9]+/flops", "/source", "/program", "/shapes/.*"]
SECONDS = [-1e-4, -5e-7, -1e-9, 1e-9, 5e-7, 1e-4]
COLUMNS = ["task.kernel", "task.worker", "task.priority", "task.k_m_n", "task.footprint", "task.access_begin", "access.handle_mode",
           "task.predecessor_begin", "predecessor.task", "task.job", "task.submit_order", "task.flops", "task.writes_back",
           "handle.size_bytes", "handle.m", "handle.n", "handle.owner", "handle.address", "handle.tag", "message.from", "message.to",
           "message.size_bytes", "message.handle", "message.producer", "message.consumer", "message.from_memory", "message.to_memory",
           "copy.from", "copy.to", "copy.size_bytes", "copy.handle", "place.memory", "place.handle", "wont_use.node", "wont_use.handle",
           "wont_use.job", "wont_use.submit_order"]
DATES = ["task.submit_s", "task.start_s", "task.end_s", "message.start_s", "message.end_s", "copy.start_s", "copy.end_s", "place.start_s",
         "place.end_s", "wont_use.submit_s"]
KINDS = {f"result {place}": changed("result", place) for place in RESULT}
KINDS |= {f"run.trace {place}": changed("names", place) for place in NAMES}
KINDS |= {f"run.trace {name}": column(name, [-2, -1, 1, 2]) for name in COLUMNS}
KINDS |= {f"run.trace {name}": column(name, SECONDS) for name in DATES}
KINDS |= {
    "task earlier or later": moved("task.start_s", "task.end_s", SECONDS),
    "task 0.5 us earlier": moved("task.start_s", "task.end_s", [-5e-7]),
    "message earlier or later": moved("message.start_s", "message.end_s", SECONDS),
    "copy earlier or later": moved("copy.start_s", "copy.end_s", SECONDS),
    "tasks exchange workers": lambda run, draw: same_kernels(run, draw, "task.worker"),
    "tasks exchange dates": lambda run, draw: same_kernels(run, draw, "task.submit_s"),
    "last message missing": cut("message"), "last copy missing": cut("copy"), "last place missing": cut("place"),
    "name of an unused kernel": unused_kernel,
    "result: value missing": without("result", "/(?!provenance|simulation).*"),
    "result: finding missing": without("result", "/findings/.*"),
    "result: file not listed": without("result", "/simulation/files/.*"),
    "result: nodes exchanged": exchanged("/nodes"), "result: bounds exchanged": exchanged("/bounds/abe_per_node_s"),
    "result: value too many": lambda run, draw: draw.choice([run.result, run.result["bounds"], run.result["nodes"][0]]).update(more=1) is None,
    "folder of timings": changed("result", "/provenance/timings/./file", lambda draw, path: "/elsewhere/" + path.split("/")[-1]),
    "file of timings": changed("result", "/provenance/timings/./file", lambda draw, path: path + "x"),
    "series.json": changed("series", ".*"),
}


def factosim(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def sound_runs(program, folder):
    """Makes the runs, which pass the audit."""
    with open(os.path.join(folder, "g.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(task) + "\n" for task in GRAPH)
    runs = []
    for name, scenario in BASES.items():
        out, file = os.path.join(folder, name), os.path.join(folder, name + ".json")
        if scenario["application"]["nt"] == 0:
            scenario["application"] = {k: v for k, v in scenario["application"].items() if k in ("type", "file")}
        with open(file, "w", encoding="utf-8") as opened:
            json.dump(scenario, opened)
        done = factosim(program, "run", file, "--out", out, *(["--replicas", "3"] if name == "replicas" else []))
        assert done.returncode == 0, f"{name}: {done.stderr}"
        checked = factosim(program, "check", out)
        assert checked.returncode == 0, f"{name}: a finding in a sound run\n{checked.stdout}{checked.stderr}"
        runs.append(RecordedRun(out))
    return runs


def judged(program, folder):
    """Whether a run's fault is found, and how."""
    checked = factosim(program, "check", "--json", folder)
    assert checked.returncode in (0, 2, 5), checked.stderr
    if checked.returncode == 2:
        return "refused"
    found = [each["name"] for each in json.loads(checked.stdout)["checks"] if each["findings"]]
    assert "files" not in found, checked.stdout
    return "rules" if set(found) - {"repetition"} else "repetition" if found else "missed"


def main():
    program, seed, count, keep = options(500)
    table, missed = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory(prefix="factosim-") as folder:
        runs = sound_runs(program, folder)
        order = list(KINDS)
        random.Random(seed).shuffle(order)
        for number in range(count):
            kind, draw = order[number % len(order)], random.Random(f"{seed} {number}")
            for run in draw.sample(runs, len(runs)):
                faulty = copy.deepcopy(run)
                if KINDS[kind](faulty, draw):
                    break
            else:
                continue
            out = os.path.join(folder, "faulty")
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(run.folder, out)
            faulty.write(out)
            how = judged(program, out)
            table[kind][how] += 1
            if how == "missed":
                missed.append(kind)
                print(f"missed: {number} {kind} in {os.path.basename(run.folder)}", flush=True)
                if keep:
                    shutil.copytree(out, os.path.join(keep, f"fault-{seed}-{number}"))
    columns = ["rules", "repetition", "refused", "missed"]
    print(f"{'kind':<44}" + "".join(f"{c:>11}" for c in ["planted", *columns]))
    for kind, counts in sorted(table.items()):
        print(f"{kind:<44}{sum(counts.values()):>11}" + "".join(f"{counts[c]:>11}" for c in columns))
    total = sum(table.values(), collections.Counter())
    print(f"{len(table)} kinds{'':<36}{sum(total.values()):>11}" + "".join(f"{total[c]:>11}" for c in columns))
    for kind, why in OUT_OF_REACH.items():
        print(f"out of reach: {kind} ({why})")
    return 1 if set(missed) - set(OUT_OF_REACH) else 0


if __name__ == "__main__":
    sys.exit(main())
