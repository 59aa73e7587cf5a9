"""What grammars of graphs of tasks share: what a drawn file means, names, edges, numbers, encodings."""
from dataclasses import dataclass, field

NAMES = ("t{}", "{}", "a_{}", "x.y-{}", "Task {}", "é{}", 'q"{}', "ID{:07}", "n{}e5", "potrf({}, 1)", "a,b;{}", "graph {}", "-{}.5")


@dataclass
class Task:
    kernel: str = "task"
    seconds: dict = field(default_factory=dict)


@dataclass
class Drawn:
    """`files`: text by name, the first of which is read. `edges`: (before, after): bytes, or None for no data. `accesses`: of each task,
    (bytes, mode) of its data. `closed`: edges are compared with all that follow from them."""

    files: dict
    tasks: dict
    edges: dict
    accesses: dict = field(default_factory=dict)
    closed: bool = False


def names(r, count, *patterns):
    pattern = r.choice(patterns or NAMES)
    return [pattern.format(i) for i in r.sample(range(1, 3 * count + 2), count)]


def edges_of(r, ids):
    """Draws edges from earlier to later ids."""
    out = {}
    for i in range(1, len(ids)):
        for before in r.sample(ids[:i], min(i, r.choice((0, 1, 1, 2, 3)))):
            out[before, ids[i]] = None
    return out


def encoded(r, text, whole=False):
    if r.random() < 0.2:
        text = text.replace("\n", "\r\n")
    if r.random() < 0.2 and text.endswith("\n") and not whole:
        text = text.rstrip("\r\n")
    return ("\ufeff" if r.random() < 0.1 else "") + text


def number(r):
    return r.choice((str(r.randint(1, 999)), f"{r.uniform(0.1, 99):.3f}", f"{r.uniform(1, 9):.2f}e{r.randint(-3, 6)}", f"{r.randint(1, 9)}.", "0.50"))
