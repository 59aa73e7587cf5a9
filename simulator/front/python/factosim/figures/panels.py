# mypy: ignore-errors
"""Panels over time, below each other on one axis; runs stand beside each other."""

from collections import defaultdict

import numpy
from matplotlib import rcParams
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from .page import INK, LETTER, SMALL, Page, grid, mixed, number, round_ticks

SHADED = "#f8e3d6"
MOST_RECTANGLES = 400  # more are drawn as an image
SHADES = 16
LABELS = 110  # most room for labels
HIGHEST = 800  # plot that makes room for the labels of all rows


class Row:
    """A row of a panel of one run, with its values (curve, from, to, value)."""

    def __init__(self, name, label, group, note, mark, color):
        self.name, self.label, self.group, self.note, self.mark, self.color = name, label, group, note, mark, color
        self.values = []

    def by_curve(self):
        out = defaultdict(list)
        for curve, *value in self.values:
            out[curve].append(value)
        return out


def rows_of(content):
    """Returns {(run, panel): rows} and {(run, panel): {curve: dates by row}} of the iterations."""
    rows, dates, known = defaultdict(list), defaultdict(lambda: defaultdict(list)), {}
    for run, panel, *row in zip(*(content["rows"][c] for c in ("run", "panel", "row", "label", "group", "note", "mark_s", "color"))):
        rows[run, panel].append(known.setdefault((run, panel, row[0]), Row(*row)))
    levels = {panel["name"] for panel in content["panels"] if panel["form"] in ("curves", "shades")}
    names = ("run", "panel", "row", "curve", "from_s", "to_s", "value")
    for run, panel, row, curve, begin, end, value in zip(*(content["columns"][c] for c in names)):
        if begin is None:
            dates[run, panel][curve].append(value)
        else:
            known[run, panel, curve if panel in levels else row].values.append((curve, begin, end, value))
    return rows, dates


def title_of(panel):
    unit = panel.get("unit", "")
    return f"{panel['title']} ({unit})" if unit and unit[1:] not in panel["title"] else panel["title"]


def room_of(form, count):
    """Returns the height of the plot of a panel with that many rows."""
    if form == "iterations":
        return min(190, max(90, count * LETTER))
    if form == "areas":
        return min(300, max(60, count * 22))
    if form == "curves":
        return 120
    return min(300, max(90, count * LETTER))


class Column:
    """The part of the page that shows one run."""

    def __init__(self, page, content, run, rows, dates):
        self.page, self.run, self.rows, self.dates = page, run, rows, dates
        self.panels = content["panels"]
        self.end = run["makespan_s"]
        self.left = self.width = 0
        self.before = max([self.page.width_of(text, SMALL) for panel in self.panels for text in self.labels(panel)] + [30]) + 12
        notes = [row.note for panel in self.panels for row in self.rows[run["name"], panel["name"]]]
        notes += ["workers"] * any(panel.get("against_workers") for panel in self.panels)
        self.after = max([self.page.width_of(note, SMALL) for note in notes] + [4]) + 8

    def of(self, panel):
        return self.rows[self.run["name"], panel["name"]]

    def height(self, panel):
        """Returns the height of a plot, in which the smallest group of rows has room for its label."""
        rows, high = self.of(panel), room_of(panel["form"], len(self.of(panel)))
        if panel["form"] not in ("cells", "areas") or not rows:
            return high
        return max(high, min(HIGHEST, (SMALL + 1.5) * len(rows) / min(end - first for first, end in groups_of(rows))))

    def has_room(self, panel, height):
        """Returns true if each row may have its own label."""
        rows = self.of(panel)
        return bool(rows) and height / len(rows) >= SMALL + 1 and panel["form"] != "shades"

    def labels(self, panel):
        """Returns the labels that may stand left of a panel."""
        if panel["form"] == "curves":
            return []  # numbers
        each = self.has_room(panel, self.height(panel)) or panel["form"] == "iterations"
        return [self.page.fitted((row.label or row.group) if each else (row.group or row.label), LABELS, SMALL) for row in self.of(panel)]

    def draw(self, panel, axes, height, scale):
        axes.set_ylim(max(1, len(self.of(panel))), 0)
        getattr(self, "draw_" + panel["form"])(panel, axes, height, scale)

    # ---- labels ----

    def label(self, axes, places, texts):
        axes.set_yticks(places, [self.page.fitted(text, LABELS, SMALL) for text in texts])
        axes.tick_params(axis="y", length=0, pad=self.page.points(5), labelsize=self.page.points(SMALL))

    def note(self, axes, y, text):
        axes.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(self.page.points(6), 0), textcoords="offset points",
                      va="center", fontsize=self.page.points(SMALL), annotation_clip=False)

    def label_rows(self, panel, axes, height):
        """Names rows or, if there is no room, their groups; writes the notes of groups, or of rows without one."""
        rows = self.of(panel)
        each = self.has_room(panel, height)
        places, texts, last_name, last_note = [], [], -99, -99
        unit = height / len(rows)
        for first, end in groups_of(rows):
            middle = (first + end) / 2
            if not each and (middle - last_name) * unit >= SMALL + 1:
                places.append(middle)
                texts.append(rows[first].group or rows[first].label)
                last_name = middle
            if rows[first].note and (middle - last_note) * unit >= SMALL + 1:
                self.note(axes, middle, rows[first].note)
                last_note = middle
            if first > 0 and rows[first].group and (end - first) * unit > 3 and panel["form"] == "cells":
                axes.axhline(first, color="#bbbbbb", linewidth=0.4)
            if rows[first].mark:  # without a rim, which would look like idle time
                axes.plot([rows[first].mark] * 2, [first, end], color=INK, linewidth=1.2, solid_capstyle="butt")
        if each:
            places, texts = [r + 0.5 for r in range(len(rows))], [row.label or row.group for row in rows]
        self.label(axes, places, texts)

    # ---- forms ----

    def image(self, axes, pixels, rows):
        """Fills the plot until the makespan with pixels, the first row at y = 0."""
        axes.imshow(pixels, extent=(0, self.end, rows, 0), aspect="auto", interpolation="none", origin="upper")

    def draw_rectangles(self, panel, axes, height, looks):
        """`looks`: {colour: [(row, from, to)]}. Few rectangles are drawn as paths, many as one image."""
        rows = len(self.of(panel))
        gap = min(0.2, 1 / (height / rows)) if height / rows > 5 else 0
        if sum(map(len, looks.values())) <= MOST_RECTANGLES:
            for color, boxes in looks.items():
                corners = [((a, r + gap / 2), (b, r + gap / 2), (b, r + 1 - gap / 2), (a, r + 1 - gap / 2), (a, r + gap / 2)) for r, a, b in boxes]
                codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
                axes.add_patch(PathPatch(Path(numpy.array(corners).reshape(-1, 2), codes), facecolor=color, linewidth=0))
            return
        columns = max(1, self.run["intervals"][panel["name"]])
        high = pixels_a_row(height, rows)
        pixels = numpy.ones((rows, high, columns, 3))
        for color, boxes in looks.items():
            for r, a, b in boxes:
                pixels[r, :, round(a / self.end * columns):round(b / self.end * columns)] = color
        if gap:
            pixels[:, -1] = 1
        self.image(axes, pixels.reshape(rows * high, columns, 3), rows)

    def draw_cells(self, panel, axes, height, scale):
        looks = defaultdict(list)
        for r, row in enumerate(self.of(panel)):
            for curve, begin, end, value in row.values:
                if shade := round(4 * value):
                    looks[mixed(self.page.paint(panel["colors"][curve]), shade / 4)].append((r, begin, end))
        self.draw_rectangles(panel, axes, height, looks)
        self.label_rows(panel, axes, height)
        bound = self.run["area_bound_s"]
        if panel["name"] == "workers" and bound > 0:
            axes.axvline(bound, color=INK, linewidth=1, dashes=(4, 3))

    def draw_iterations(self, panel, axes, height, scale):
        rows, looks = self.of(panel), defaultdict(list)
        for r, row in enumerate(rows):
            for curve, begin, end, value in row.values:  # low shares stay visible
                shade = numpy.ceil(4 * numpy.sqrt(value)) / 4
                looks[mixed(self.page.paint(panel["colors"][curve]), 0.25 + 0.75 * shade)].append((r, begin, end))
        self.draw_rectangles(panel, axes, height, looks)
        dates = self.dates[self.run["name"], panel["name"]]
        for curve, values in dates.items():
            y = (numpy.arange(len(values)) + 0.5) * len(rows) / len(values)
            axes.plot(values, y, color="white", linewidth=2.2)
            axes.plot(values, y, color=INK, linewidth=1, dashes=(4, 3) if curve == "median end" else (None, None))
        axes.set_ylim(0, len(rows))
        step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 250, 1000) if s * height / len(rows) >= SMALL + 4 or s == 1000)
        shown = range(0, len(rows), step)
        self.label(axes, [r + 0.5 for r in shown], [rows[r].label for r in shown])

    def draw_areas(self, panel, axes, height, scale):
        """Draws the shares of the kernels of each row on one another: an image, whose size does not depend on the run."""
        rows, columns = self.of(panel), self.run["intervals"]["levels"]
        high = 48 if height / len(rows) > 8 else 12
        pixels = numpy.ones((len(rows), high, columns, 3))
        levels = numpy.arange(high - high // 12)[:, None]  # the others are the gap
        for r, row in enumerate(rows):
            below, shares = numpy.zeros(columns), row.by_curve()
            for curve in panel["colors"]:
                above = numpy.minimum(1, below + grid(shares[curve], columns, self.end)) if curve in shares else below
                inside = (levels >= numpy.round(below * len(levels))) & (levels < numpy.round(above * len(levels)))
                pixels[r, :len(levels)][inside] = mixed(self.page.paint(panel["colors"][curve]), 1)
                below = above
        self.image(axes, pixels[:, ::-1].reshape(len(rows) * high, columns, 3), len(rows))
        self.label_rows(panel, axes, height)

    def draw_shades(self, panel, axes, height, scale):
        rows, columns = self.of(panel), self.run["intervals"]["levels"]
        high = pixels_a_row(height, len(rows))
        pixels = numpy.ones((len(rows), high, columns, 3))
        for r, row in enumerate(rows):
            values = grid([v[1:] for v in row.values], columns, self.end) * panel["factor"] / scale
            for shade in numpy.unique(shades := shade_of(values)):
                pixels[r, :max(1, high - 1), shades == shade] = mixed(self.page.paint(row.color), shade)  # a line is the gap
        self.image(axes, pixels.reshape(len(rows) * high, columns, 3), len(rows))
        self.label_rows(panel, axes, height)

    def draw_curves(self, panel, axes, height, scale):
        workers, factor = self.run["workers"], panel["factor"]
        top = max(scale * 1.05, workers * 1.1 if panel["against_workers"] else 0) or 1
        axes.set_ylim(0, top)
        columns = self.run["intervals"]["levels"]
        dates = numpy.linspace(0, self.end, columns + 1)
        for row in self.of(panel):
            values = grid([v[1:] for v in row.values], columns, self.end) * factor
            if panel["against_workers"] and row.name == "ready":
                axes.fill_between(dates, 0, top, where=numpy.append(values, values[-1]) < workers, step="post", color=self.page.paint(SHADED), linewidth=0)
            changes = numpy.flatnonzero(numpy.diff(values, prepend=numpy.nan))
            axes.stairs(values[changes], numpy.append(dates[changes], self.end), baseline=None, color=self.page.paint(row.color),
                        linewidth=rcParams["lines.linewidth"])
        ticks = round_ticks(0, top, 5)
        axes.set_yticks(ticks, [number(tick) for tick in ticks])
        axes.tick_params(axis="y", length=0, pad=self.page.points(5), labelsize=self.page.points(SMALL))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        if panel["against_workers"]:
            axes.axhline(workers, color=INK, linewidth=0.8, dashes=(5, 4))
            self.note(axes, workers, f"{workers}\nworkers")


def groups_of(rows):
    """Yields the first and the end of neighbours with one group; rows without one stand alone."""
    first = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or not rows[end].group or rows[end].group != rows[first].group:
            yield first, end
            first = end


def pixels_a_row(height, rows):
    """Returns the height of a row in an image: viewers that smooth images blur rows of one pixel."""
    return max(1, min(12, int(height / rows)))


def shade_of(share):
    """Returns one of a few shades for shares of the largest value."""
    return numpy.ceil(SHADES * numpy.sqrt(numpy.clip(share, 0, 1))) / SHADES


def scale_of(panel, columns):
    """Returns the largest value of a panel of levels in all runs, in the unit shown."""
    return max([value[-1] for c in columns for row in c.of(panel) for value in row.values] + [0]) * panel.get("factor", 1) or 1


class Legend:
    """Keys in lines: colours with names, scales of shades, dashed lines."""

    def __init__(self, page, x, y, left):
        self.page, self.x, self.y, self.left = page, x, y, left

    def put(self, after, draw, length, before=""):
        lead = self.page.width_of(before, 12) + 4 if before else 0
        wide = lead + length + 4 + self.page.width_of(after, 12)
        if self.x + wide > self.page.width - 8 and self.x > self.left:
            self.x, self.y = self.left, self.y + 17
        after = self.page.fitted(after, self.page.width - 8 - self.x - lead - length - 4, 12)
        if before:
            self.page.text(self.x, self.y, before, 12)
        draw(self.x + lead, self.y)
        self.page.text(self.x + lead + length + 4, self.y, after, 12)
        self.x += wide + 13

    def color(self, name, color):
        self.put(name, lambda x, y: self.page.box(x, y - 5, 10, 10, color), 10)

    def shades(self, name, color, most):
        def draw(x, y):
            for i in range(SHADES):
                self.page.box(x + i * 72 / SHADES, y - 5, 72 / SHADES, 10, mixed(self.page.paint(color), shade_of((i + 0.5) / SHADES)))
            self.page.box(x, y - 5, 72, 10, edge=INK, line=0.4)
        self.put(most, draw, 72, f"{name} 0".strip())

    def line(self, name, color):
        self.put(name, lambda x, y: self.page.line([x, x + 20], [y, y], color, 1, dashes=(4, 3)), 20)


def draw_legend(page, panel, content, legend, scale, kernels_named):
    """Writes the legend of a panel; the kernels of a figure have one."""
    if panel["form"] == "shades":
        for name, color in panel["colors"].items():
            most = f"{scale:.0f}" if scale >= 100 else f"{scale:.3g}"
            legend.shades(name if len(panel["colors"]) > 1 else "", color, f"{most} {panel['unit']}")
    elif not kernels_named:
        for name, color in panel["colors"].items():
            legend.color(name, color)
    if panel["name"] == "workers" and any(run["area_bound_s"] > 0 for run in content["runs"]):
        several = any(run["nodes"] > 1 for run in content["runs"])
        legend.line("area bound (short marks: of each node)" if several else "area bound", INK)


def draw(content):
    runs, options = content["runs"], content["options"]
    page = Page(options, None if len(runs) < 3 else rcParams["figure.figsize"][0] / (rcParams["font.size"] / LETTER / 72) * len(runs) / 2)
    rows, dates = rows_of(content)
    columns = [Column(page, content, run, rows, dates) for run in runs]
    room = page.width - sum(c.before + c.after for c in columns) - 8
    x = 0
    for c in columns:
        c.left, c.width = x + c.before, max(40, room / len(columns))
        x = c.left + c.width + c.after
    left = columns[0].left
    y = page.heading(8, content["title"], left=left)
    if len(runs) > 1:
        y = max(page.heading(y, c.run["name"], left=c.left, room=c.width + c.after) for c in columns)
    begin, end = options.get("x", {}).get("range", (0, max(run["makespan_s"] for run in runs)))
    kernels_named = False
    for panel in content["panels"]:
        scale = scale_of(panel, columns) if "factor" in panel else 1
        y += 10
        page.text(left, y, title_of(panel), bold=True)
        legend = Legend(page, left + page.width_of(title_of(panel), bold=True) + 16, y, left)
        of_kernels = "factor" not in panel and panel["name"] != "states"
        draw_legend(page, panel, content, legend, scale, of_kernels and kernels_named)
        kernels_named = kernels_named or of_kernels
        y = legend.y + 10
        height = max(c.height(panel) for c in columns)
        for c in columns:
            axes = page.plot(c.left, y, c.width, height)
            c.draw(panel, axes, height, scale)
            axes.set_xlim(begin, end)
            ticks = round_ticks(begin, end, max(2, min(12, int(c.width / 52))))
            last = panel is content["panels"][-1]
            axes.set_xticks(ticks, [number(tick) for tick in ticks] if last else [])
            axes.tick_params(axis="x", length=3 if last else 0, labelsize=page.points(12))
            if last:
                axes.set_xlabel(options.get("x", {}).get("label", "Time (s)"), fontsize=page.points(LETTER))
        y += height + 8
    return page.finish(y + 36)
