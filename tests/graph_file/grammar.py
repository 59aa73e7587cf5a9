"""Valid files of each format of task graphs, drawn with random features of its grammar, and what they mean.

A format is a function of a random.Random that returns a Drawn: files, and the graph that they describe.
"""
import json
import random
from xml.sax.saxutils import quoteattr

from dot_grammar import dot
from drawing import Drawn, Task, edges_of, encoded, names, number


# ---- STG ----


def stg(r):
    count = r.randint(1, 14)
    ids = [str(i) for i in range(r.choice((0, 1)), count + 1)][:count]
    if r.random() < 0.2:
        ids = [str(3 * int(i) + 5) for i in ids]
    edges = edges_of(r, ids)
    costs = r.random() < 0.4
    blank = r.choice((" ", "\t", "    "))
    lead = r.choice(("", " ", "\t"))
    tasks, lines = {}, []
    for name in ids:
        seconds = r.choice(("0" if lines else "1", str(r.randint(1, 50)), f"{r.uniform(0.5, 9):.2f}"))
        tasks[name] = Task("empty" if float(seconds) == 0 else "task", {"cpu": float(seconds), "cuda": float(seconds)})
        before = [b for b, after in edges if after == name]
        if costs:
            lines.append(lead + blank.join((name, seconds, str(len(before)))))
            for b in before:
                edges[b, name] = r.randint(0, 900)
                lines.append(blank * 4 + blank.join((b, str(edges[b, name]))))
        else:
            lines.append(lead + blank.join((name, seconds, str(len(before)), *before)))
        if r.random() < 0.1:
            lines.append(r.choice(("", "# a comment", "   ")))
    announced = count if count < 3 or r.random() < 0.5 else count - 2
    text = r.choice(("", "# Standard Task Graph\n", "\n")) + lead + str(announced) + r.choice(("", blank + "8")) + "\n" + "\n".join(lines) + "\n"
    return Drawn({"g.stg": encoded(r, text)}, tasks, edges)


# ---- the own table ----


def table(r):
    ids = names(r, r.randint(1, 12), "{}", "t{}", "a.{}", "é{}", "x-{}_")
    edges = edges_of(r, ids)
    separator, quote = r.choice(",;\t"), r.choice(("", '"', "some"))
    tasks, rows = {}, []
    workers = r.sample(["cpu_s", "cuda_s", "cuda0_s", "cuda1_s"], r.randint(1, 3))
    for name in ids:
        after = []
        for before in [b for b, a in edges if a == name]:
            if r.random() < 0.4:
                edges[before, name] = r.randint(1, 10**6)
            after.append(before if edges[before, name] is None else f"{before}:{edges[before, name]}")
        seconds = {w: number(r) for w in workers if r.random() < 0.7}
        kernel = r.choice(("gemm", "a b", 'q"x', "c,d;e", "k"))
        tasks[name] = Task(kernel, {w[:-2]: float(s) for w, s in seconds.items()})
        rows.append({"task": name, "kernel": kernel, "depends_on": " ".join(after), **seconds, "priority": r.choice(("", "3", "-2")), "m": r.choice(("", "0", "7"))})
    columns = ["task", "kernel", "depends_on", *workers, "priority", "m"]
    r.shuffle(columns)

    def cell(text):
        must = any(c in text for c in f'"{separator}\n')
        return '"' + text.replace('"', '""') + '"' if must or quote == '"' or (quote == "some" and r.random() < 0.5) else text

    files, accesses = {}, {}
    if r.random() < 0.4:
        data = {f"d{i}": r.randint(0, 10**9) for i in range(r.randint(1, 3))}
        listed = list(data) if r.random() < 0.7 else list(data)[:-1]
        accesses = {name: [(d, r.choice(("R", "W", "RW"))) for d in r.sample(list(data), r.randint(0, len(data)))] for name in ids}
        for row in rows:
            row["accesses"] = " ".join(f"{d}:{mode}" for d, mode in accesses[row["task"]])
        columns.append("accesses")
        files["data.csv"] = "data,bytes,m,owner\n" + "".join(f"{d},{data[d]},{r.choice(('', '3'))},{r.choice(('', '0'))}\n" for d in listed)
        edges.update({pair: None for pair in after_accesses(ids, accesses) if pair not in edges})
        sizes = {d: data[d] if d in listed else 0 for d in data}
        accesses = {name: sorted([(sizes[d], m) for d, m in accesses[name]] + [(b, "W") for (before, _), b in edges.items() if before == name and b]
                                 + [(b, "R") for (_, after), b in edges.items() if after == name and b]) for name in ids}
    if r.random() < 0.3:
        timed = {kernel: number(r) for kernel in {t.kernel for t in tasks.values()}}
        files["kernels.csv"] = "kernel,cpu_s,flops\n" + "".join(f'"{kernel.replace(chr(34), chr(34) * 2)}",{s},100\n' for kernel, s in timed.items())
        for task in tasks.values():
            task.seconds = task.seconds or {"cpu": float(timed[task.kernel])}
    lines = [separator.join(map(cell, columns))] + [separator.join(cell(row.get(c, "")) for c in columns) for row in rows]
    return Drawn({"tasks.csv": encoded(r, "\n".join(lines) + "\n"), **files}, tasks, edges, accesses, closed=bool(accesses))


# ---- WfFormat ----


def workflow_of(r, patterns):
    """Draws tasks, parents, and files: (bytes, writer or "", readers)."""
    ids = names(r, r.randint(1, 10), *patterns)
    edges = edges_of(r, ids)
    files = {}
    for i, name in enumerate(ids):
        children = [a for b, a in edges if b == name]
        for k in range(r.choice((0, 1, 1, 2))):
            files[f"f{i}_{k}.dat"] = (r.choice((0, r.randint(1, 10**9))), name, [c for c in children if r.random() < 0.8])
    for k in range(r.randint(0, 2)):
        files[f"in {k}"] = (r.randint(0, 10**6), "", r.sample(ids, r.randint(1, len(ids))))
    if files and r.random() < 0.3:  # the writer reads it first
        file = r.choice(list(files))
        size, writer, readers = files[file]
        files[file] = (size, writer, [*readers, writer] if writer and writer not in readers else readers)
    return ids, edges, files


def uses(files, name):
    return [(file, "R") for file, (_, _, readers) in files.items() if name in readers] + [(file, "W") for file, (_, writer, _) in files.items() if writer == name]


def accesses_of(files, ids):
    modes = {name: {file: "".join(m for f, m in uses(files, name) if f == file) for file, _ in uses(files, name)} for name in ids}
    return {name: sorted((files[file][0], mode) for file, mode in modes[name].items()) for name in ids}


def wfformat(r):
    ids, edges, files = workflow_of(r, ("mProject_ID{:07}", "blast_{}", "t{}", "a b-{}", "{}", "é{}"))
    kernels = {name: r.choice(("mAdd", "split", "x")) for name in ids}
    seconds = {name: r.choice((r.randint(1, 99), round(r.uniform(0.01, 9), 4), 1e-3)) for name in ids}
    parents, children = r.choice(((1, 1), (1, 1), (1, 0), (0, 1)))

    def links(name, called=str):
        out = {}
        if parents:
            out["parents"] = [called(b) for b, a in edges if a == name]
        if children:
            out["children"] = [a for b, a in edges if b == name]
        return out

    if r.random() < 0.5:
        tasks = [{"id": n, "name": kernels[n], **links(n), **({"inputFiles": [f for f, m in uses(files, n) if m == "R"],
                  "outputFiles": [f for f, m in uses(files, n) if m == "W"]} if files else {})} for n in ids]
        measured = [{"id": n, "runtimeInSeconds": seconds[n], "coreCount": 1, "avgCPU": 90.5, "machines": ["m"]} for n in ids]
        r.shuffle(measured)
        workflow = {"specification": {"tasks": tasks, **({"files": [{"id": f, "sizeInBytes": size} for f, (size, _, _) in files.items()]} if files else {})},
                    "execution": {"makespanInSeconds": 9, "executedAt": "2024-01-01", "tasks": measured, "machines": []}}
        version = "1.5"
    else:
        version = r.choice(("1.3", "1.4"))
        key = r.choice(("runtime", "runtimeInSeconds"))
        by_id = r.random() < 0.6
        by_name = by_id and not children and r.random() < 0.5
        places = {n: f"n{i}" for i, n in enumerate(ids)}
        tasks = [{"name": n if not by_id else f"n{i}", **({"id": n} if by_id else {}), "category": kernels[n], "type": "compute", key: seconds[n], **links(n, places.get if by_name else str), "cores": 1,
                  "files": [{"name": f, "sizeInBytes": files[f][0], "link": "input" if m == "R" else "output"} for f, m in uses(files, n)]} for i, n in enumerate(ids)]
        if r.random() < 0.3:  # in any order
            r.shuffle(tasks)
        workflow = {"tasks": tasks, "makespan": 9, "executedAt": "x"}
    document = {"name": "w", "description": "é", "schemaVersion": version, "workflow": workflow, "author": {"name": "x"}}
    text = json.dumps(document, indent=r.choice((None, 1, 4)), ensure_ascii=r.random() < 0.5) + "\n"
    return Drawn({"w.json": encoded(r, text)}, {n: Task(kernels[n], {"cpu": float(seconds[n])}) for n in ids}, edges, accesses_of(files, ids), closed=True)


# ---- Pegasus ----


def dax(r):
    ids, edges, files = workflow_of(r, ("ID{:05}", "j{}", "a-{}", "é{}", "a&b<{}"))
    prefix = r.choice(("", "", "p:"))
    kernels = {name: r.choice(("mAdd", "split & join", "x")) for name in ids}
    seconds = {name: number(r) for name in ids}
    old = r.random() < 0.5
    out = []

    def tag(name, given, inner=None):
        items = list(given.items())
        r.shuffle(items)
        head = f"<{prefix}{name}" + "".join(f"{r.choice((' ', chr(10) + '  '))}{k}={quoteattr(str(v))}" for k, v in items)
        return head + (r.choice(("/>", f"></{prefix}{name}>", " />")) if inner is None else f">{inner}</{prefix}{name}>")

    for name in ids:
        inner = r.choice(("", "<!-- <job/> -->", tag("argument", {}, "-a &lt;x&gt;"), "<![CDATA[ < ]]>"))
        given = {"id": name, "name": kernels[name], "namespace": "n", "version": "1.0"}
        if r.random() < 0.7:
            given["runtime"] = seconds[name]
        else:
            inner += tag("profile", {"namespace": "pegasus", "key": "runtime"}, r.choice(("", "\n ")) + seconds[name])
        for file, mode in uses(files, name):
            use = {"file" if old else "name": file, "link": "input" if mode == "R" else "output", "register": "true"}
            if r.random() < 0.8:
                inner += tag("uses", {**use, "size": files[file][0]})
            else:
                inner += tag("uses", use, tag("metadata", {"key": "size"}, str(files[file][0])))
        out.append(tag("job", given, inner + "\n"))
    for name in ids:
        before = [b for b, a in edges if a == name]
        cut = r.randint(0, len(before))
        for part in (before[:cut], before[cut:]):
            if part:
                out.append(tag("child", {"ref": name}, "".join(tag("parent", {"ref": b}) for b in part)))
    space = f' xmlns{":p" if prefix else ""}="http://pegasus.isi.edu/schema/DAX"'
    text = r.choice(("", '<?xml version="1.0" encoding="UTF-8"?>\n', "<?xml version='1.0'?>\n<!-- made -->\n"))
    text += f'<{prefix}adag name="w" version="2.1"{space if prefix or r.random() < 0.7 else ""}>\n' + "\n".join(out) + f"\n</{prefix}adag>\n"
    tasks = {n: Task(kernels[n], {"cpu": float(seconds[n])}) for n in ids}
    if text.startswith("<?xml version") and r.random() < 0.1:
        text = "\ufeff" + text
    return Drawn({"w.dax": text}, tasks, edges, accesses_of(files, ids), closed=True)


# ---- lists of times ----


def formatted_tasks(r):
    count = r.randint(2, 14)
    ids = [str(i) for i in range(count)]
    edges = edges_of(r, ids)
    for before, after in [pair for pair in edges if pair[1] == ids[0]]:
        del edges[before, after]
    workers = r.choice((["cpu", "cuda"], ["cpu", "cuda0", "cuda1"]))
    tasks, lines = {}, []
    for name in ids:
        times = {w: f"{r.uniform(0.1, 90):.{r.randint(2, 6)}f}" for w in workers}
        if r.random() < 0.3:
            times[r.choice(workers)] = "-1"
        tasks[name] = Task("task", {w: float(t) / 1000 for w, t in times.items() if t != "-1"})
        before = [b for b, a in edges if a == name]
        lines.append(r.choice((" ", "\t", "  ")).join((name, *times.values())) + (" " + r.choice((",", " ", ", ")).join(before) if before else ""))
    return Drawn({"t.txt": encoded(r, "\n".join(lines) + "\n")}, tasks, edges)


# ---- StarPU ----


def after_accesses(order, accesses):
    """Returns the edges that a sequential program has by the data of its tasks: a list of (datum, mode) of each. Neighbours that all
    read, or all reduce (X), do not wait for each other: they are a group, and each task waits for the whole group before its own."""
    groups, out = {}, {}
    for task in order:
        for datum, mode in accesses[task]:
            if mode == "S":
                continue
            kind = mode if mode in ("R", "X") else "W"
            before, now, of = groups.get(datum, ([], [], ""))
            groups[datum] = (before, [*now, task], kind) if kind == of != "W" else (now, [task], kind)
            out.update({(b, task): None for b in groups[datum][0]})
    return out


def tasks_rec(r):
    count = r.randint(1, 12)
    ids = [str(i) for i in r.sample(range(1, 40), count)]
    data = {f"{r.randrange(1, 2**40):x}": r.randint(0, 10**7) for _ in range(r.randint(1, 4))}
    explicit = edges_of(r, ids)
    ranks = r.choice((1, 1, 2, 3))
    node = {name: r.randrange(ranks) for name in ids}
    prefixed = any(node.values())  # ids of several ranks
    called = {name: f"{node[name]}_{name}" if prefixed else name for name in ids}
    modes = r.choice((("R", "W", "RW"), ("R", "W", "RW", "RWC", "S", "X", "X", "R")))
    accesses = {name: [(d, r.choice(modes)) for d in r.sample(list(data), r.randint(0, len(data)))] for name in ids}
    records = []
    for order, name in enumerate(ids):
        fields = [("Model", r.choice(("gemm", "trsm"))), ("JobId", called[name]), ("SubmitOrder", str(order + 1))]
        if accesses[name]:
            fields += [("Handles", " ".join(d for d, _ in accesses[name])), ("Modes", " ".join(m for _, m in accesses[name])), ("Sizes", " ".join(str(data[d]) for d, _ in accesses[name]))]
        before = [b for b, a in explicit if a == name]
        if before:
            fields.append(("DependsOn", " ".join(called[b] for b in before)))
        if prefixed:
            fields.append(("MPIRank", str(node[name])))
        fields += r.sample([("Priority", "3"), ("Tag", "ff"), ("Iteration", "1 2"), ("WorkerId", "1"), ("MemoryNode", "0"), ("Footprint", "0a1b2c3d"), ("Color", "#ff0000"),
                            ("NumaNodes", "0"), ("Parameters", "960 960"), ("SubmitTime", "12.500000")], r.randint(0, 4))
        kernel = fields[0][1]
        if r.random() < 0.2:
            kernel = "shown"  # the model times it
            fields.insert(1, ("Name", kernel))
        if r.random() < 0.3:
            r.shuffle(fields)
        records.append((name, kernel, fields))
    tasks = {called[name]: Task(kernel, {}) for name, kernel, _ in records}
    r.shuffle(records) if r.random() < 0.5 else None
    text = r.choice(("", "%rec: task\n\n", "# made\n", "\n"))
    for _, _, fields in records:
        text += "".join(f"{key}:{r.choice((' ', ' ', '  ', chr(9)))}{text_}\n" for key, text_ in fields) + r.choice(("\n", "\n", "\n\n"))
    of_rank = {name: [(f"{node[name]} {d}", mode) for d, mode in accesses[name]] for name in ids}  # handles are addresses of a rank
    edges = {(called[b], called[a]): None for b, a in {**after_accesses(ids, of_rank), **explicit}}
    simulated = {"X": "R", "RWC": "RW"}  # scratch data are left out
    sizes = {called[name]: sorted((data[d], simulated.get(m, m)) for d, m in accesses[name] if m != "S") for name in ids}
    return Drawn({"tasks.rec": encoded(r, text, whole=True)}, tasks, edges, sizes, closed=True)


# ---- SAGA ----


def saga(r):
    ids = names(r, r.randint(1, 12))
    edges = edges_of(r, ids)
    added = [("__super_source__", ids[:1]), ("__super_sink__", ids[-1:])] if r.random() < 0.4 else []
    costs = {name: r.choice((0, r.randint(1, 99), round(r.uniform(0.1, 50), 3), 2.5e-3)) for name in ids} | {name: 0 for name, _ in added}
    for name, others in added:
        edges.update({(name, o) if "source" in name else (o, name): None for o in others})
    for pair in edges:
        edges[pair] = r.choice((0, r.randint(1, 10**9)))
    tasks = {name: Task("empty" if name.startswith("__super") else "task", {"cpu": float(cost), "cuda": float(cost)}) for name, cost in costs.items()}
    listed = [{"name": name, "cost": cost} for name, cost in costs.items()]
    needed = [{"source": a, "target": b, "size": float(size) if r.random() < 0.3 else size} for (a, b), size in edges.items()]
    r.shuffle(listed), r.shuffle(needed)
    graph = {"tasks": listed, "dependencies": needed}
    speeds = {"nodes": [{"name": "n", "speed": 2.0}], "edges": [{"source": "n", "target": "n", "speed": 1e9}]}
    document = r.choice((graph, {"name": "x", "task_graph": graph}, {"network": speeds, "task_graph": graph, "name": "é"}))
    return Drawn({"g.json": encoded(r, json.dumps(document, indent=r.choice((None, 2)), ensure_ascii=r.random() < 0.5) + "\n")}, tasks, edges)


# ---- own lines ----


def lines(r):
    """Version 2: every mode of access, kernels, data and tasks with any of their keys."""
    ids = names(r, r.randint(1, 12))
    edges = edges_of(r, ids)
    data = {name: r.choice((0, r.randint(1, 10**8))) for name in names(r, r.randint(1, 4))}
    modes = r.choice((("R", "W", "RW"), ("R", "R", "X", "X", "RW", "RWC", "WC", "S")))
    accesses = {name: [(d, r.choice(modes)) for d in r.sample(list(data), r.randint(0, len(data)))] for name in ids}
    head = {"format": "factosim-graph", "version": 2, **({"name": "é"} if r.random() < 0.3 else {})}
    kernels = {name: {"cpu": r.choice((0.5, 3, 1e-3))} for name in r.sample(["gemm", "a b", "blas/gemm"], 2)}
    rows = [{"kernel": k, "cpu_s": s["cpu"], **({"flops": 100} if r.random() < 0.3 else {})} for k, s in kernels.items()]
    rows += [{"data": d, "bytes": size, **({"m": 1, "n": 0} if r.random() < 0.3 else {})} for d, size in data.items()]
    tasks = {}
    for name in ids:
        kernel = r.choice(list(kernels))
        own = {} if r.random() < 0.6 else {"cpu": 2.0, **({"cuda": 0.25} if r.random() < 0.5 else {})}
        tasks[name] = Task(kernel, own or kernels[kernel])
        before = []
        for b in [b for b, a in edges if a == name]:
            edges[b, name] = r.choice((None, None, r.randint(0, 9999)))
            before.append(b if edges[b, name] is None else [b, edges[b, name]])
        row = {"task": name, "kernel": kernel, **{f"{w}_s": s for w, s in own.items()}}
        row |= {"accesses": [[d, mode] for d, mode in accesses[name]]} if accesses[name] else {}
        row |= {"depends_on": before} if before else {}
        row |= {"priority": r.randint(-9, 9), "k": 0} if r.random() < 0.3 else {}
        rows.append(dict(r.sample(list(row.items()), len(row))))
    text = "".join(json.dumps(row, ensure_ascii=r.random() < 0.5) + "\n" for row in (head, *rows))
    expected = {**{pair: None for pair in after_accesses(ids, accesses)}, **edges}
    sizes = {name: sorted((data[d], mode) for d, mode in accesses[name]) for name in ids}  # bytes of edges stay in these
    return Drawn({"g.jsonl": encoded(r, text)}, tasks, expected, sizes, closed=True)


FORMATS = {"dot": dot, "stg": stg, "table": table, "wfformat": wfformat, "dax": dax, "formatted-tasks": formatted_tasks, "tasks.rec": tasks_rec, "saga": saga, "lines": lines}


def drawn(format_name, seed):
    return FORMATS[format_name](random.Random(f"{format_name} {seed}"))
