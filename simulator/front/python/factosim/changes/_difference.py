"""Two programs of tasks, side by side: totals, kernels, and tasks of one kernel in their order."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, Optional

from ._graph import GraphError, Line, Program

Value = Any
METRICS = ("tasks", "dependencies", "data", "bytes", "flops", "work", "critical_path", "kernel_mean")


def parsed(text: str) -> dict[str, float]:
    """Returns the largest relative difference of each metric that a text names; one without a name is that of the critical path."""
    out = {}
    for part in filter(None, text.split(",")):
        name, _, limit = part.rpartition("=")
        name = name or "critical_path"
        if name not in METRICS:
            raise GraphError(f'--tolerance#: "{name}" is not compared in graphs (they have no run). Use one of {", ".join(METRICS)}')
        try:
            out[name] = float(limit.rstrip("%")) / (100 if limit.endswith("%") else 1)
        except ValueError:
            raise GraphError(f'--tolerance#: "{limit}" is no number. Give for instance {name}=2%') from None
        if not out[name] >= 0:
            raise GraphError(f'--tolerance#: "{limit}" is no number from 0. Give for instance {name}=2%')
    return out


def _durations(program: Program) -> Optional[list[float]]:
    """Returns the duration of each task; nothing if the file lacks one."""
    seconds = [program.seconds_of(task) for task in program.tasks]
    return None if None in seconds else [s for s in seconds if s is not None]


def _total(program: Program, timed: bool) -> dict[str, Value]:
    costs = _durations(program) if timed else None
    path, path_kernels = program.chain(costs or [1.0] * len(program.tasks))
    whole = [datum for datum in program.data.values() if "parent" not in datum]
    recorded = program.head.get("recorded") or {}
    return {
        "file": program.name,
        "program": " ".join([str(recorded.get("program") or program.head.get("name", "")), *map(str, recorded.get("arguments", []))]),
        "runtime": recorded.get("runtime", ""),
        "tasks": len(program.tasks),
        "dependencies": sum(map(len, program.waits)),
        "data": len(whole),
        "bytes": sum(datum.get("bytes", 0) for datum in whole),
        "sizes": dict(Counter(datum.get("bytes", 0) for datum in whole)),
        "flops": sum(map(program.flops_of, program.tasks)),
        "work": sum(costs) if costs else None,
        "critical_path": path if costs else None,
        "longest_chain": sum(path_kernels.values()),
        "chain_kernels": dict(path_kernels),
        "priorities": len({task.get("priority", 0) for task in program.tasks}),
        **{key: program.hints[key] for key in ("waits of the host", "wont_use", "flush", "submitted_by")},
        "findings": recorded.get("findings", []),
    }


def _by_kernel(program: Program) -> dict[str, list[Line]]:
    out = defaultdict(list)
    for task in program.tasks:
        out[task["kernel"]].append(task)
    return out


def _mean(program: Program, tasks: list[Line]) -> Optional[float]:
    seconds = [s for s in map(program.seconds_of, tasks) if s is not None]
    return math.fsum(seconds) / len(seconds) if seconds else None


def _kernel(a: Program, b: Program, name: str, in_a: list[Line], in_b: list[Line]) -> dict[str, Value]:
    """Compares the tasks of a kernel: the first one of A with the first one of B, and so on."""
    pairs = list(zip(in_a, in_b))

    def differ(of_a: Any, of_b: Any) -> int:
        return sum(of_a(x) != of_b(y) for x, y in pairs)

    def sizes(program: Program) -> Any:
        return lambda task: [(mode, program.data.get(str(datum), {}).get("bytes", 0)) for datum, mode in task.get("accesses", [])]

    def traits(program: Program) -> Line:
        return {key: value for key, value in program.kernels.get(name, {}).items()
                if key in ("footprint", "symbol", "devices", "asynchronous_on_gpu", "free", "size")}

    both = bool(in_a and in_b)
    return {"kernel": name, "tasks": [len(in_a), len(in_b)], "mean_s": [_mean(a, in_a), _mean(b, in_b)],
            "flops": [sum(map(a.flops_of, in_a)), sum(map(b.flops_of, in_b))],
            "bytes": [sum(map(a.bytes_of, in_a)), sum(map(b.bytes_of, in_b))],
            "other_priority": differ(lambda t: t.get("priority", 0), lambda t: t.get("priority", 0)),
            "other_accesses": differ(sizes(a), sizes(b)),
            "traits": {key: [x.get(key), y.get(key)] for x, y in [(traits(a), traits(b))] for key in sorted({*x, *y}) if both and x.get(key) != y.get(key)}}


def _relative(a: Optional[float], b: Optional[float]) -> float:
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return 0.0 if a == b else math.inf if a == 0 else (b - a) / abs(a)


def _checks(a: dict[str, Value], b: dict[str, Value], kernels: list[dict[str, Value]], limits: dict[str, float]) -> list[dict[str, Value]]:
    out = []
    for metric, limit in limits.items():
        values = [(k["kernel"], *k["mean_s"]) for k in kernels if all(k["tasks"])] if metric == "kernel_mean" else [("", a[metric], b[metric])]
        if metric == "critical_path" and a[metric] is None and b[metric] is None:
            values = [("tasks", a["longest_chain"], b["longest_chain"])]
        for what, x, y in values:
            relative = _relative(x, y)
            out.append({"metric": metric, "what": what, "a": x, "b": y, "relative": relative if math.isfinite(relative) else None,
                        "limit": limit, "ok": abs(relative) <= limit * (1 + 1e-9)})
    return out


def _number(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}".replace(",", " ") if isinstance(value, int) else f"{value:.4g}"
    return ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


LABELS = {"program": "program", "runtime": "runtime", "tasks": "tasks", "dependencies": "dependencies", "data": "data", "bytes": "bytes of data",
          "flops": "operations", "work": "work, s", "critical_path": "longest chain, s", "longest_chain": "its tasks", "chain_kernels": "its kernels",
          "priorities": "different priorities", "waits of the host": "waits of the host", "wont_use": "hints wont_use", "flush": "hints flush",
          "submitted_by": "tasks of callbacks"}


def _row(label: str, a: Value, b: Value) -> str:
    if max(len(_number(a)), len(_number(b))) > 18:
        return f"{label}\n  A  {_number(a)}\n  B  {_number(b)}"
    relative = ""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and a:
        relative = f"{100 * (b - a) / abs(a):+.1f} %"
    return f"{label:<28} {_number(a):>18} {_number(b):>18} {relative:>10}".rstrip()


def _text(a: dict[str, Value], b: dict[str, Value], changes: list[str], kernels: list[dict[str, Value]], checks: list[dict[str, Value]]) -> str:
    lines = [f"A  {a['file']}", f"B  {b['file']}", ""]
    if not changes:
        return "\n".join([*lines, f"No difference in {_number(a['tasks'])} tasks.", ""])
    lines.append(f"{'':<28} {'A':>18} {'B':>18} {'B - A':>10}")
    lines += [_row(label, a[key], b[key]) for key, label in LABELS.items() if key in ("tasks", "dependencies") or a[key] != b[key]]
    for k in kernels:
        rows = [(f"tasks of {k['kernel']}", *k["tasks"])] if k["tasks"][0] != k["tasks"][1] else []
        rows += [(f"{k['kernel']}: {what}", *k[key]) for key, what in (("mean_s", "mean, s"), ("flops", "operations"), ("bytes", "bytes"))
                 if k[key][0] != k[key][1] and (all(k["tasks"]) or key == "mean_s")]
        rows += [(f"{k['kernel']}: {key}", str(x), str(y)) for key, (x, y) in k["traits"].items() if key != "size"]
        lines += [_row(*row) for row in rows]
        lines += [f"{k['kernel']}: {k[key]} of {min(k['tasks'])} tasks have other {what}" for key, what in
                  (("other_priority", "priorities"), ("other_accesses", "accesses or sizes")) if k[key]]
    for which, one, other in (("A", a, b), ("B", b, a)):
        lines += [f"only {which} says: {finding}" for finding in one["findings"] if finding not in other["findings"]]
    for check in checks:
        if not check["ok"]:
            lines.append(f"beyond tolerance: {check['metric']} {check['what']}: {_number(check['a'])} and {_number(check['b'])}".replace(" :", ":"))
    if checks:
        lines += ["", f"{sum(c['ok'] for c in checks)} of {len(checks)} checks within tolerance"]
    return "\n".join([*lines, ""])


def compared(a: Program, b: Program, limits: dict[str, float]) -> dict[str, Value]:
    """Returns what differs. Times only if both files have all durations."""
    timed = _durations(a) is not None and _durations(b) is not None
    of_a, of_b = _total(a, timed), _total(b, timed)
    by_a, by_b = _by_kernel(a), _by_kernel(b)
    kernels = [_kernel(a, b, name, by_a.get(name, []), by_b.get(name, [])) for name in dict.fromkeys([*by_a, *by_b])]
    changes = [key for key in of_a if key != "file" and of_a[key] != of_b[key]]
    changes += [f"kernel {k['kernel']}" for k in kernels
                if k["traits"] or k["other_priority"] or k["other_accesses"] or any(k[key][0] != k[key][1] for key in ("tasks", "mean_s", "flops", "bytes"))]
    changes += ["dependencies of single tasks"] if not changes and a.waits != b.waits else []
    checks = _checks(of_a, of_b, kernels, limits)
    return {"a": of_a, "b": of_b, "changes": changes, "kernels": kernels,
            "tolerance": {"ok": all(c["ok"] for c in checks), "checks": checks}, "text": _text(of_a, of_b, changes, kernels, checks)}
