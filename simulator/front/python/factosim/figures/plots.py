# mypy: ignore-errors
"""Curves over x, and tables of cells coloured by a value."""

import math

import numpy
from matplotlib import rcParams
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D

from .page import INK, LETTER, OptionError, Page, is_dark, logarithmic_ticks, number, round_ticks

# Six marks and four dashes: twelve curves differ without their colours.
MARKS = "sD^ovP"
DASHES = [(None, None), (5, 2), (1.5, 2), (6, 2, 1.5, 2)]
BOUND = "#999999"
LINE = 18  # height of a line of a legend
KEY = 30
MARGIN = 12


def look_of(page, curve):
    colors = rcParams["axes.prop_cycle"].by_key()["color"]
    return {"color": page.paint(colors[curve % len(colors)]), "dashes": DASHES[curve % 4], "marker": MARKS[curve % 6], "linewidth": rcParams["lines.linewidth"]}


def grow_by_one_factor(values):
    """Returns True for four values or more such as 1, 2, 4, 8: sorted, each the same multiple of the one before."""
    return len(values) >= 4 and values[0] > 0 and all(abs(a * c / (b * b) - 1) < 1e-9 for a, b, c in zip(values, values[1:], values[2:]))


class Scale:
    """The ends and ticks of an axis. Without a choice of the user x is logarithmic where its values grow by one factor."""

    def __init__(self, option, values, from_zero):
        self.values, self.given = sorted(set(values)), "range" in option
        self.logarithmic = option.get("logarithmic", not from_zero and not self.given and grow_by_one_factor(self.values))
        first, last = min(values, default=1.0 if self.logarithmic else 0.0), max(values, default=1.0)
        if self.given:
            first, last = option["range"]
        elif from_zero and self.logarithmic:
            first, last = first / 1.1, last * 1.1
        elif from_zero:
            first, last = min(first, 0), last * 1.04
        if not last > first:
            first, last = (first / 2, first * 2) if self.logarithmic else (first - 0.5, first + 0.5)
        self.first, self.last = first, last

    def share(self, value):
        if self.logarithmic:
            return math.log(value / self.first) / math.log(self.last / self.first)
        return (value - self.first) / (self.last - self.first)

    def ticks(self, room):
        """Returns round ticks, each of which needs `room` of an axis of length 1."""
        most = max(2, min(16, int(1 / room)))
        return logarithmic_ticks(self.first, self.last, most) if self.logarithmic else round_ticks(self.first, self.last, most)

    def ticks_of_values(self, room):
        """Returns a tick for each value if they are integers, such as numbers of nodes, and there is room."""
        shares = [self.share(v) for v in self.values] if not self.given else []
        if shares and all(v == math.floor(v) for v in self.values) and all(b - a >= room for a, b in zip(shares, shares[1:])):
            return self.values
        return self.ticks(room)


class Plot:
    """One plot, with its points (curve, x, y, low, high)."""

    def __init__(self, page, plot, points):
        self.page, self.plot, self.points = page, plot, points
        options = page.options
        self.x = Scale(options.get("x", {}), [p[1] for p in points], False)
        self.y = Scale(options.get("y", {}), [p[2] for p in points] + [p[4] for p in points if p[4] is not None], True)
        self.curves = self.split()
        self.legend = [(name, {"color": page.paint(BOUND), "linewidth": 0.8}) for name in plot["bounds"] if name]
        self.legend += [(name, look_of(page, n)) for n, name in enumerate(plot["curves"]) if name]
        if any(p[4] is not None for p in points):
            self.legend.append(("95 % CI of the mean", {"color": page.paint(INK), "linestyle": "none", "marker": "|", "markersize": 7, "markeredgewidth": 0.8, "markeredgecolor": page.paint(INK)}))

    def split(self):
        """Returns the points of each curve: those of a plot stand in the order of its curves, then of its bounds."""
        out, names = [], self.plot["curves"] + self.plot["bounds"]
        for point in self.points:
            while not out or (len(out) < len(names) and point[0] != names[len(out) - 1]):
                out.append([])
            out[-1].append(point)
        return out + [[] for _ in names[len(out):]]

    def draw(self, top):
        """Returns the lower end."""
        page, plot = self.page, self.plot
        y = page.heading(top + 4, plot["title"])
        height = page.options.get("height_mm", 0) / 25.4 / page.unit or rcParams["figure.figsize"][1] / page.unit
        rows = len(self.legend) + bool(plot["legend"])
        wide = KEY + 8 + max([page.width_of(name, 12) for name, _ in self.legend] + [page.width_of(plot["legend"], 12, True) - KEY - 8, 0])
        y_ticks = self.y.ticks(min(0.5, 30 / max(height - 90, 120)))
        left = MARGIN + 22 + max(page.width_of(number(t), 12) for t in y_ticks) + 8
        room = page.width - left - MARGIN - 10
        beside = bool(self.legend) and room - wide - 20 >= page.width / 2 and rows * LINE <= height - (y - top) - 50
        columns = max(1, int((room + 18) / (wide + 18)))
        below = 0 if beside or not self.legend else 8 + LINE * (-(-len(self.legend) // columns) + bool(plot["legend"]))
        width = room - (wide + 20 if beside else 0)
        high = max(110, height - (y + 8 - top) - 46 - below - MARGIN)
        axes = page.plot(left, y + 8, width, high)
        self.axes(axes, width, y_ticks)
        self.lines(axes)
        end = y + 8 + high + 46
        if beside:
            self.keys(left + width + 20, y + 16, 1, wide)
        else:
            self.keys(left, end + 10, columns, wide)
        return end + below + MARGIN

    def axes(self, axes, width, y_ticks):
        page = self.page
        for scale, name in ((self.x, "x"), (self.y, "y")):
            if scale.logarithmic:
                getattr(axes, f"set_{name}scale")("log")
        axes.set_xlim(self.x.first, self.x.last)
        axes.set_ylim(self.y.first, self.y.last)
        room = 24 / width
        for _ in range(3):
            x_ticks = self.x.ticks_of_values(min(0.5, room))
            room = max(room, (max(page.width_of(number(t), 12) for t in x_ticks) + 8) / width)
        axes.set_xticks(x_ticks, [number(t) for t in x_ticks])
        axes.set_yticks(y_ticks, [number(t) for t in y_ticks])
        axes.minorticks_off()
        axes.tick_params(labelsize=page.points(12))
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.set_xlabel(page.fitted(self.plot["x"], width), fontsize=page.points(LETTER))
        axes.set_ylabel(self.plot["y"], fontsize=page.points(LETTER))

    def lines(self, axes):
        curves = len(self.plot["curves"])
        for n, points in list(enumerate(self.curves))[curves:]:
            axes.plot([p[1] for p in points], [p[2] for p in points], color=self.page.paint(BOUND), linewidth=0.8)
        for n, points in enumerate(self.curves[:curves]):
            look = look_of(self.page, n)
            x, y = [p[1] for p in points], [p[2] for p in points]
            axes.plot(x, y, clip_on=False, label=self.plot["curves"][n], **look) if not (self.x.given or self.y.given) else axes.plot(x, y, **look)
            spread = [p for p in points if p[4] is not None]
            if spread:
                middle = numpy.array([p[2] for p in spread])
                ends = [middle - numpy.maximum(self.y.first, [p[3] for p in spread]), numpy.array([p[4] for p in spread]) - middle]
                axes.errorbar([p[1] for p in spread], middle, yerr=numpy.maximum(ends, 0), fmt="none", ecolor=look["color"], elinewidth=0.8, capthick=0.8)

    def keys(self, left, y, columns, wide):
        page = self.page
        if self.plot["legend"] and self.legend:
            page.text(left, y, self.plot["legend"], 12, bold=True)
            y += LINE
        for i, (name, look) in enumerate(self.legend):
            x, line = left + i % columns * (wide + 18), y + i // columns * LINE
            page.axes.add_line(Line2D([x, x + KEY / 2, x + KEY], [line] * 3, markevery=[1], clip_on=False, **look))
            page.text(x + KEY + 8, line, page.fitted(name, page.width - x - KEY - 8 - 4, 12), 12)


def draw_lines(content):
    page, y = Page(content["options"]), 0
    columns = list(zip(*(content["columns"][c] for c in ("curve", "x", "value", "ci95_low", "ci95_high"))))
    for plot in content["plots"]:
        y = Plot(page, plot, columns[plot["first_row"]:plot["end_row"]]).draw(y)
    return page.finish(max(y, 20))


def draw_heat_map(content):
    """The page is as wide as its cells need, or their width follows from it."""
    cells = numpy.array([[math.nan if v is None else v for v in row] for row in content["cells"]], dtype=float)
    rows, columns = cells.shape
    known = cells[~numpy.isnan(cells)]
    least, most = (known.min(), known.max()) if known.size else (0, 0)
    texts = [["" if math.isnan(v) else f"{v:.4g}" for v in row] for row in cells]
    page = Page(content["options"])
    names = [page.fitted(name, 140, 12) for name in content["column_names"]]
    side = [page.fitted(name, 200, 12) for name in content["row_names"]]
    left = 16 + 26 + max(page.width_of(name, 12) for name in side) + 8
    after = 24 + 14 + 8 + max(page.width_of(f"{v:.4g}", 12) for v in (least, most)) + 16 + 24
    wide = 12 + max(36, *(page.width_of(t, 12) for t in [*names, *sum(texts, [])]))
    if "width_mm" in content["options"]:
        wide = (page.width - left - after) / columns
    right = left + columns * wide
    top = page.heading(12, content["title"], 16, left=16, room=max(right + after, 400)) + 26
    high = max(30, page.width_of(content["y"]) / rows, page.width_of(content["value"]) / rows)  # the labels have room
    bottom = top + rows * high
    mapping = LinearSegmentedColormap.from_list("factosim", [page.paint(c) for c in content["scale"]])
    axes = page.plot(left, top, columns * wide, rows * high)
    image = axes.imshow(numpy.ma.masked_invalid(cells), cmap=mapping, vmin=least, vmax=most if most > least else least + 1, aspect="auto",
                        interpolation="none")
    axes.xaxis.tick_top()
    axes.set_xticks(range(columns), names)
    axes.set_yticks(range(rows), side)
    axes.tick_params(length=0, labelsize=page.points(12))
    axes.spines[:].set_visible(False)
    for r, c in zip(*numpy.nonzero(~numpy.isnan(cells))):
        color = "white" if is_dark(mapping(image.norm(cells[r, c]))) else INK
        axes.text(c, r, texts[r][c], ha="center", va="center_baseline", color=color, fontsize=page.points(12))
    page.text((left + right) / 2, bottom + 16, content["x"], align="center")
    page.text(20, (top + bottom) / 2, content["y"], align="center", upwards=True)
    page.text(right + after - 24, (top + bottom) / 2, content["value"], align="center", upwards=True)
    if most > least:
        bar = page.plot(right + 24, top, 14, bottom - top)
        bar.imshow(numpy.linspace(1, 0, 64)[:, None], cmap=mapping, aspect="auto", extent=(0, 1, 0, 1))
        bar.set_axis_off()
        for value, at in ((least, bottom - 6), (most, top + 6)):
            page.text(right + 24 + 14 + 6, at, f"{value:.4g}", 12)
    return page.finish(bottom + 32, max(right + after, 400, (left + right + page.width_of(content["x"])) / 2 + 8))
