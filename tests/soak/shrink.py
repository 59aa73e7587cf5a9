"""Makes a failing case small: takes keys away and lowers numbers as long as the same claim fails in the same way."""

import copy
import time

TRIES = 250
SECONDS = 180


def places(item, path=()):
    """Every key and every index of a document, the outer ones first."""
    level = [(path, item)]
    while level:
        following = []
        for at, value in level:
            keys = list(value) if isinstance(value, dict) else range(len(value) - 1, -1, -1) if isinstance(value, list) else []
            for key in keys:
                yield (*at, key), value[key]
                following.append(((*at, key), value[key]))
        level = following


def changed(case, file, path, value=None):
    """A copy of the case without the key, or with another value; None if the key is gone."""
    other = copy.deepcopy(case)
    try:
        place = other.files[file]
        for key in path[:-1]:
            place = place[key]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value
    except (LookupError, TypeError):
        return None
    return other


def smaller(value):
    """Simpler numbers, the simplest first."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return []
    if isinstance(value, int):
        return [v for v in (1, 2, 3, value // 2, value - 1) if 0 < v < value]
    return [v for v in (1e-6, 1e-3, 1.0, 1e9, float(f"{value:.0e}")) if v != value and 0.01 < v / (value or 1) < 100]


def steps(case):
    """The simpler cases next to this one, as functions that make them from the current one."""
    documents = sorted((name for name, content in case.files.items() if isinstance(content, dict)), key=lambda n: (n != "s.json", n != "p.json", n))
    for name in [name for name in case.files if name != "s.json"]:
        yield lambda now, name=name: without_file(now, name)
    for name in documents:
        if name.endswith("kernels.json"):
            yield lambda now, name=name: of_one_precision(now, name)
    for name in documents:
        deep = 2 if name.endswith("kernels.json") else 9
        for path, _ in list(places(case.files[name])):
            if len(path) <= deep:
                yield lambda now, name=name, path=path: changed(now, name, path)
    for name in documents[:2]:
        for path, value in list(places(case.files[name])):
            for simple in smaller(value):
                yield lambda now, name=name, path=path, simple=simple: changed(now, name, path, simple)


def without_file(case, name):
    other = copy.deepcopy(case)
    return other if other.files.pop(name, None) is not None else None


def of_one_precision(case, name):
    if name not in case.files:
        return None
    other = copy.deepcopy(case)
    other.files[name]["kernels"] = {kernel: [row for row in rows if row["precision"] == "double"] for kernel, rows in other.files[name]["kernels"].items()}
    return other if other.files != case.files else None


def shrunk(case, fails, tries=TRIES):
    """The smallest case that was found for which `fails` still holds."""
    again, end = True, time.monotonic() + SECONDS
    while again and tries > 0:
        again = False
        for step in list(steps(case)):
            other = step(case)
            if other is None or other.files == case.files:
                continue
            if tries <= 0 or time.monotonic() > end:
                return case
            tries -= 1
            if fails(other):
                case, again = other, True
    return case
