# mypy: ignore-errors
"""Figures of bars: bounds, and where the time of the makespan went."""

from .page import INK, LETTER, SMALL, Page

TRACK, BLUE, VERMILION, OTHERS = "#ececec", "#0072b2", "#d55e00", "#b5b5b5"
LEAST_SHARE = 0.01  # smaller parts are drawn as one
EDGE = 12


def duration(seconds):
    """Returns a duration as the program prints it: "618.2 ms"."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"


def texts_of(seconds, makespan):
    return f"{duration(seconds)} ({100 * seconds / makespan:.1f} %)"


def rows_of(content, *names):
    return zip(*(content["columns"][name] for name in names))


class Bars:
    """Names, bars and numbers beside each other, as wide as the page."""

    def __init__(self, content, names, size):
        self.page = Page(content["options"])
        self.size = size
        self.longest = max(run["makespan_s"] for run in content["runs"])
        self.left = min(self.page.width / 3, max(self.page.width_of(name, size) for name in names) + EDGE + 8)
        self.room = self.page.width - self.left - self.page.width_of("999.9 ms (100.0 %)", size) - 8 - EDGE

    def x(self, seconds):
        return self.left + self.room * seconds / self.longest

    def label(self, y, name, end, text):
        self.page.text(self.left - 8, y, self.page.fitted(name, self.left - 8 - EDGE / 2, self.size), self.size, "right")
        self.page.text(end + 6, y, text, self.size)


def draw_bounds(content):
    bars = Bars(content, content["labels"].values(), LETTER)
    page, y = bars.page, EDGE
    for run in content["runs"]:
        y = page.heading(y, content["title"] if len(content["runs"]) == 1 else run["name"]) - 4
        for name, bound, seconds in rows_of(content, "run", "bound", "seconds"):
            if name != run["name"]:
                continue
            y += 22
            page.box(bars.left, y - 7, bars.room, 14, TRACK)
            page.box(bars.left, y - 7, bars.x(seconds) - bars.left, 14, VERMILION if bound == "makespan" else BLUE)
            bars.label(y, content["labels"][bound], bars.left + bars.room, texts_of(seconds, run["makespan_s"]))
        y += 22
    return page.finish(y)


def drawn_parts(parts, makespan):
    """Returns (name, seconds) from the longest on; small ones become one part at the end."""
    parts = sorted(parts, key=lambda part: -part[1])
    small = [part for part in parts if part[1] < LEAST_SHARE * makespan]
    if len(small) < 2:
        return parts
    return parts[:-len(small)] + [(f"{len(small)} others, less than 1 % each", sum(seconds for _, seconds in small))]


def draw_lost(content):
    every = {}
    for run, account, part, seconds in rows_of(content, "run", "account", "part", "seconds"):
        every.setdefault((run, account), []).append((part, seconds))
    makespans = {run["name"]: run["makespan_s"] for run in content["runs"]}
    drawn = {key: drawn_parts(parts, makespans[key[0]]) for key, parts in every.items()}
    bars = Bars(content, ["sum"] + [name for parts in drawn.values() for name, _ in parts], SMALL)
    page, y, last = bars.page, EDGE, None
    for (run, account), parts in drawn.items():
        if run != last:
            y = page.heading(y, content["title"] if len(makespans) == 1 else run)
        last = run
        y += 9
        page.text(EDGE, y, account)
        y = waterfall(bars, parts, y + 22, makespans[run], content)
    return page.finish(y)


def waterfall(bars, parts, y, makespan, content):
    """Draws one bar below another, each from the end of the one above it. Returns the lower end."""
    page, total = bars.page, 0
    for name, seconds in parts:
        begin, end = bars.x(total), bars.x(total + seconds)
        page.box(begin, y - 7, end - begin, 14, content["colors"].get(name, OTHERS))
        x = begin + 2.5
        while name in content["waits"] and x < end:  # gaps, since a kernel may have the same colour
            page.box(x, y - 7, min(1.5, end - x), 14, "white")
            x += 4
        total += seconds
        page.line([end, end], [y + 7, y + 12], width=0.4)
        bars.label(y, name, end, texts_of(seconds, makespan))
        y += 19
    page.box(bars.x(0), y - 7, bars.x(total) - bars.x(0), 14, INK)
    bars.label(y, "sum", bars.x(total), texts_of(total, makespan))
    return y + 28
