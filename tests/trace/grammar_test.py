#!/usr/bin/env python3
"""Chrome and Paje traces and StarPU's records that are drawn from the grammar of each format are read as they mean.

usage: grammar_test.py PROGRAM [COUNT [SEED [FORMAT...]]]

A format is a function of a random.Random that returns a text and a Drawn. Prints each file that is read otherwise, with what differs.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "../graph_file")]
from damaged_trace_test import TraceFile
from grammar import after_accesses


@dataclass
class Drawn:
    """`tasks`: (start and end in us, kernel, node, the worker's number among those of all nodes); `edges` between their numbers;
    `messages`: (start and end in us, sender, receiver, bytes), of `copies` the size; `finding`: a part of one. Those that are None are not
    compared."""

    tasks: list
    edges: set = None
    messages: list = None
    copies: list = None
    finding: str = None
    gpus: set = field(default_factory=set)  # workers


def chrome(r):
    """Complete slices, or pairs of begin and end, in any number of processes and threads with and without names, which may be equal."""
    events, drawn, worker, marked = [], Drawn([], set()), 0, r.random() < 0.5
    processes = sorted(r.sample(range(5000), r.randint(1, 3)), key=lambda p: (len(str(p)), p))
    nodes, where = {}, []
    for process in processes:
        called = r.choice(("cpu{}", "Worker {}", "hip{}", "worker", "cuda0", "thread{}"))
        for thread in r.sample(range(1, 9), r.randint(1, 3)):
            if r.random() < 0.6:
                events.append({"ph": "M", "name": "thread_name", "pid": process, "tid": thread, "args": {"name": called.format(thread)}})
                if called[:3] in ("hip", "cud"):
                    drawn.gpus.add(worker)
            now, count = r.choice((0, 12.5, 3e9)), r.randint(0, 4)
            for _ in range(count):
                now += r.choice((0, 0.125, 2.5, 1000))
                length, kernel = r.choice((0.5, 1, 4, 7.75, 123)), r.choice(("gemm", "a b", "é", 'q"'))
                one = {"name": kernel, "cat": "task" if marked else "cpu_op", "pid": process, "tid": thread}
                inner = [{"name": "inner", "cat": "sub", "ph": "X", "pid": process, "tid": thread, "ts": now + 1, "dur": length - 2}] * (length > 2 and r.random() < 0.4)
                if r.random() < 0.3:
                    events += [{**one, "ph": "B", "ts": now}, *inner, {"ph": "E", "pid": process, "tid": thread, "ts": now + length}]
                else:
                    events += [{**one, "ph": "X", "ts": now, "dur": length}, *inner]
                drawn.tasks.append((now, now + length, kernel, nodes.setdefault(process, len(nodes)), worker))
                where.append((process, thread))
                now += length
            worker += count > 0
            if not count:
                drawn.gpus.discard(worker)
    for flow in range(r.choice((0, 1, 4)) if len(drawn.tasks) > 1 else 0):
        a, b = r.sample(range(len(drawn.tasks)), 2)
        if drawn.tasks[a][1] <= drawn.tasks[b][0]:
            for phase, task in (("s", a), ("f", b)):
                events.append({"ph": phase, "id": flow, "name": "d", "cat": "d", "pid": where[task][0], "tid": where[task][1],
                               "ts": sum(drawn.tasks[task][:2]) / 2, **({"bp": "e"} if phase == "f" else {})})
            drawn.edges.add((a, b))
    if r.random() < 0.3:
        events.append({"ph": r.choice("CiI"), "name": "x", "pid": processes[0], "tid": 1, "ts": 0, "s": "g", "args": {"x": 1}})
    if not any(each["ph"] in "BE" for each in events) and r.random() < 0.5:
        r.shuffle(events)
    document = r.choice((events, {"traceEvents": events, "displayTimeUnit": "ns"}, {"otherData": {}, "traceEvents": events}))
    text = json.dumps(document, indent=r.choice((None, 1)), ensure_ascii=r.random() < 0.5)
    if document is events and r.random() < 0.4:  # of a program that was interrupted
        text = text.rstrip("]\n") + r.choice(("", ",", ",\n"))
    return text, drawn


EVENTS = {"PajeDefineContainerType": "Alias Type Name", "PajeDefineStateType": "Alias Type Name", "PajeDefineEntityValue": "Alias Type Name Color",
          "PajeDefineLinkType": "Alias Type StartContainerType EndContainerType Name", "PajeCreateContainer": "Time Alias Type Container Name",
          "PajeSetState": "Time Type Container Value", "PajePushState": "Time Type Container Value", "PajePopState": "Time Type Container",
          "PajeStartLink": "Time Type Container Value StartContainer Key", "PajeEndLink": "Time Type Container Value EndContainer Key"}


def paje(r):
    """Fields and numbers of events in any order, states that are set or pushed, entity values or plain ones, messages between nodes,
    copies between memories, links between containers that are neither."""
    numbers = dict(zip(EVENTS, r.sample(range(60), len(EVENTS))))
    fields = {name: r.sample(text.split(), len(text.split())) if r.random() < 0.4 else text.split() for name, text in EVENTS.items()}
    lines, dated, drawn = [], [], Drawn([], None, [])
    for name, number in numbers.items():
        lines += [f"%EventDef {name} {number}", *(f"%\t{each}\t{'date' if each == 'Time' else 'string'}" for each in fields[name]), "%EndEventDef"]

    def event(name, **given):
        words = [str(given.get(each, "0")) for each in fields[name]]
        return r.choice((" ", "\t")).join([str(numbers[name]), *(f'"{word}"' if " " in word or r.random() < 0.3 else word for word in words)])

    def at(date, name, **given):
        dated.append((date, len(dated), event(name, Time=f"{date:.9f}", **given)))

    lines += [event("PajeDefineContainerType", Alias=a, Type=t, Name=n) for a, t, n in (("M", "0", "MPI Program"), ("P", "M", "Program"), ("W", "P", "Worker"))]
    lines += [event("PajeDefineStateType", Alias="S", Type="W", Name="Worker State"), event("PajeDefineStateType", Alias="O", Type="W", Name="Other State")]
    lines.append(event("PajeDefineLinkType", Alias="L", Type="M", StartContainerType="P", EndContainerType="P", Name="MPI communication"))
    values = {}
    for value in ("gemm", "a b", "Idle", "Sleeping"):
        values[value] = "v" + value[0] if r.random() < 0.5 else value
        if values[value] != value:
            lines.append(event("PajeDefineEntityValue", Alias=values[value], Type="S", Name=value, Color="1 0 0"))
    lines.append(event("PajeCreateContainer", Time="0.0", Alias="root", Type="M", Name="root"))
    worker, nodes = 0, r.randint(1, 3)
    for node in range(nodes):
        lines.append(event("PajeCreateContainer", Time="0.0", Alias=f"p{node}", Type="P", Container="root", Name=f"{node}_p"))
        gpus = r.randint(0, 2)
        for k in range(gpus + r.randint(1, 2)):
            alias = f"w{node}_{k}"
            lines.append(event("PajeCreateContainer", Time="0.0", Alias=alias, Type="W", Container=f"p{node}", Name=f"{node}_CUDA{k}_0" if k < gpus else f"{node}_CPU{k}"))
            if k < gpus:
                drawn.gpus.add(worker)
            now = r.choice((0.0, 1.5, 100.25))
            for _ in range(r.randint(1, 5)):
                end, kernel, pushed = round(now + r.choice((0.001, 1, 100.123456)), 6), r.choice(("gemm", "a b")), r.random() < 0.4
                at(now, "PajePushState" if pushed else "PajeSetState", Type="S", Container=alias, Value=values[kernel])
                at(now, "PajeSetState", Type="O", Container=alias, Value="x")
                if pushed:
                    at(end, "PajePopState", Type="S", Container=alias)
                else:
                    at(end, "PajeSetState", Type="S", Container=alias, Value=values[r.choice(("Idle", "Sleeping"))])
                drawn.tasks.append((1e3 * now, 1e3 * end, kernel, node, worker))
                now = end + r.choice((0, 0.5, 10))
            worker += 1
    for key in range(r.randint(0, 3) if nodes > 1 else 0):
        (a, b), start, size = r.sample(range(nodes), 2), r.choice((0.5, 3.25)), r.randint(0, 10**6)
        at(start, "PajeStartLink", Type="L", Container="root", Value=size, StartContainer=f"p{a}", Key=f"c{key}")
        at(start + 2, "PajeEndLink", Type="L", Container="root", Value=size, EndContainer=f"p{b}", Key=f"c{key}")
        drawn.messages.append((1e3 * start, 1e3 * (start + 2), a, b, size))
    drawn.copies, strange = [], r.randint(0, 2)
    for memory in range(2):
        lines.append(event("PajeCreateContainer", Time="0.0", Alias=f"m{memory}", Type="P", Container="p0", Name=f"0_MEMMANAGER{memory}"))
    lines.append(event("PajeCreateContainer", Time="0.0", Alias="disk", Type="P", Container="p0", Name="0_disk"))
    for key in range(r.randint(0, 2) + strange):
        ends, size = ["m0", "m1"], r.randint(0, 10**6)
        if key < strange:
            ends[r.randrange(2)] = "disk"
        else:
            drawn.copies.append(size)
        r.shuffle(ends)
        at(1, "PajeStartLink", Type="L", Container="root", Value=size, StartContainer=ends[0], Key=f"b{key}")
        at(2, "PajeEndLink", Type="L", Container="root", Value=size, EndContainer=ends[1], Key=f"b{key}")
    drawn.finding = f"{strange} links join neither nodes nor memories" if strange else None
    if r.random() < 0.7:
        dated.sort()
    lines += [line for _, _, line in dated]
    end = r.choice(("\n", "\n", "\r\n"))
    return end.join(lines) + end, drawn


def records(r):
    """A tasks.rec without dependencies in which some tasks reduce: each follows those of its node that used its data before in another way."""
    tasks, node, accesses, text = range(r.randint(2, 12)), [], [], []
    for task in tasks:
        node.append(r.randrange(2) if r.random() < 0.2 else 0)
        accesses.append([(f"{node[task]} {datum}", r.choice(("R", "R", "W", "RW", "S", "X", "X"))) for datum in r.sample("abc", r.randint(1, 3))])
        modes = [mode for _, mode in accesses[task]]
        text.append(f"Model: k\nJobId: {node[task]}_{task + 1}\nSubmitOrder: {task + 1}\nSubmitTime: {task}.0\nWorkerId: {task}\nMPIRank: {node[task]}\n"
                    f"StartTime: {100 + task}.0\nEndTime: {101 + task}.0\nHandles: {' '.join(datum[2:] for datum, _ in accesses[task])}\n"
                    f"Modes: {' '.join(modes)}\nSizes: {' '.join('8' for _ in modes)}\n\n")
    r.shuffle(text)
    reduces = any(mode == "X" for each in accesses for _, mode in each)
    return "".join(text), Drawn([(1e5 + 1e3 * t, 1.01e5 + 1e3 * t, "k", node[t], t) for t in tasks], set(after_accesses(tasks, accesses)) if reduces else None)


FORMATS = {"chrome": (chrome, "t.json"), "paje": (paje, "t.trace"), "records": (records, "tasks.rec")}


def differences(program, name, seed):
    draw, path = FORMATS[name]
    text, drawn = draw(random.Random(f"{name} {seed}"))
    if not drawn.tasks:
        return [], text
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    done = subprocess.run([program, "export", path, "--format", "trace", "--force", "-o", "read"], capture_output=True, text=True)
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr}"], text
    trace = TraceFile("read")
    column = {key: values for key, (_, values) in trace.columns.items()}
    workers, kernels = trace.header["workers"], trace.header["kernels"]
    us = lambda seconds: round(1e6 * seconds, 3)
    read = [(us(a), us(b), kernels[k]["name"], workers[w]["node"]) for a, b, k, w in
            zip(column["task.start_s"], column["task.end_s"], column["task.kernel"], column["task.worker"])]
    meant = [(round(a, 3), round(b, 3), kernel, node) for a, b, kernel, node, _ in drawn.tasks]
    if Counter(read) != Counter(meant):
        return [f"tasks {sorted(read)} instead of {sorted(meant)}"], text
    out = []
    groups = lambda tasks, of: Counter(frozenset(Counter(t for t, w in zip(tasks, of) if w == one).items()) for one in set(of))
    if groups(read, column["task.worker"]) != groups(meant, [t[4] for t in drawn.tasks]):
        out.append(f"tasks of workers: {column['task.worker']}, {[w['name'] for w in workers]}")
    if sum(workers[w]["gpu"] for w in column["task.worker"]) != sum(t[4] in drawn.gpus for t in drawn.tasks):
        out.append(f"GPUs: {workers} instead of {drawn.gpus}")
    if drawn.edges is not None and len(set(meant)) == len(meant):
        begin, before = column["task.predecessor_begin"], column["predecessor.task"]
        found = {(meant.index(read[b]), meant.index(read[t])) for t in range(len(read)) for b in (before[begin[t]:begin[t + 1]] if begin else ())}
        out += [] if found == drawn.edges else [f"edges {found} instead of {drawn.edges}"]
    if drawn.messages is not None:
        found = sorted(zip(map(us, column["message.start_s"]), map(us, column["message.end_s"]), *(column[f"message.{key}"] for key in ("from", "to", "size_bytes"))))
        out += [] if found == sorted(drawn.messages) else [f"messages {found} instead of {sorted(drawn.messages)}"]
    if drawn.copies is not None:
        found = sorted(column["copy.size_bytes"])
        out += [] if found == sorted(drawn.copies) else [f"copies {found} instead of {sorted(drawn.copies)}"]
    if ("links join" in done.stderr) != (drawn.finding is not None) or (drawn.finding or "") not in done.stderr:
        out.append(f"findings {done.stderr} instead of {drawn.finding}")
    return out, text


def main():
    program, count, seed = os.path.abspath(sys.argv[1]), int((sys.argv[2:3] or ["30"])[0]), int((sys.argv[3:4] or ["0"])[0])
    formats, wrong = sys.argv[4:] or list(FORMATS), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in formats:
            for i in range(seed, seed + count):
                found, text = differences(program, name, i)
                if found:
                    wrong += 1
                    print(f"{name} {i}:", *found, text, sep="\n")
        os.chdir("/")
    print(f"{count} files of {len(formats)} formats each: {wrong} differ")
    return wrong > 0


sys.exit(main())
