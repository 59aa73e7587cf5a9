# mypy: ignore-errors
"""The map of a distribution: which node owns which tile. Hues denote types of nodes, shades denote nodes."""

import numpy
from matplotlib.colors import to_rgb
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from .page import INK, LETTER, Page, is_dark

MOST_NUMBERED = 40  # tiles a side
MOST_LISTED = 200  # nodes
LEGEND = 232
SWATCH = 22


def count_of(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def tiles_text(tiles):
    low, high = min(tiles), max(tiles)
    if len(tiles) == 1:
        return count_of(low, "tile")
    return f"{count_of(low, 'tile')} each" if low == high else f"{low}–{high} tiles each"


def label_step(tiles):
    """Returns the smallest of 1, 2, 5, 10, 20, 50 ... that needs at most 15 labels."""
    return next(digit * 10**power for power in range(10) for digit in (1, 2, 5) if digit * 10**power * 15 >= tiles)


class Map:
    def __init__(self, content):
        self.content, self.page = content, Page(content["options"])
        self.mt, self.nt, self.block = content["mt"], content["nt"], content["tiles_per_cell"]
        self.nodes = content["nodes"]
        self.colors = [self.page.paint(color) for color in self.nodes["color"]]
        self.beside = 58 if content["sections"] else 40
        room = min(self.page.width - 74 - self.beside - LEGEND, max(self.mt, self.nt) * 48)
        self.tile = room / max(self.mt, self.nt)
        self.left = 62
        self.top = 0

    def x(self, n):
        return self.left + self.tile * n

    def y(self, m):
        return self.top + self.tile * m

    def draw(self):
        page = self.page
        y = page.heading(10, self.content["title"], 16, left=14)
        for line in page.wrapped(self.subtitle(), page.width - 28):
            page.text(14, y + 8, line)
            y += 17
        self.top = y + 46
        self.cells()
        if max(self.mt, self.nt) <= MOST_NUMBERED:
            self.numbers()
        self.sections()
        left = self.x(self.nt) + self.beside
        bottom = self.legend(left, self.top)
        if self.content["partition"]:
            bottom = self.partition(left, bottom)
        return page.finish(max(bottom, self.y(self.mt)) + 14)

    def subtitle(self):
        lower = ", lower triangle," if self.content["lower_only"] else ""
        text = f"{self.mt} × {self.nt} tiles{lower} on {count_of(len(self.colors), 'node')}"
        if self.block > 1:
            text += f"; each cell shows the most frequent owner of {self.block} × {self.block} tiles"
        return text

    def cells(self):
        """Draws each cell in the colour of its owner. The last cells may cover fewer tiles than the others."""
        page = self.page
        owners = numpy.array(self.content["cells"])
        pixels = numpy.array([to_rgb(c) for c in self.colors] + [(1.0, 1.0, 1.0)])[owners]
        axes = page.plot(self.left, self.top, self.tile * self.nt, self.tile * self.mt)
        rows, columns = owners.shape
        axes.imshow(pixels, extent=(0, columns * self.block, rows * self.block, 0), aspect="auto", interpolation="none", origin="upper")
        axes.set_xlim(0, self.nt)
        axes.set_ylim(self.mt, 0)
        step = label_step(max(self.mt, self.nt))
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xticks([n + 0.5 for n in range(0, self.nt, step)], range(0, self.nt, step))
        axes.set_yticks([m + 0.5 for m in range(0, self.mt, step)], range(0, self.mt, step))
        axes.tick_params(labelsize=page.points(12))
        axes.set_xlabel("column n of tiles", fontsize=page.points(LETTER))
        axes.set_ylabel("row m of tiles", fontsize=page.points(LETTER))
        self.axes = axes

    def numbers(self):
        """Writes the owners: each number is one mark, drawn at all tiles of its node."""
        for axis, count in ((self.axes.axvline, self.nt), (self.axes.axhline, self.mt)):
            for n in range(1, count):
                axis(n, color="white", linewidth=0.4)
        owners = numpy.array(self.content["cells"])
        size = self.page.points(min(0.45 * self.tile, 13))
        for node in numpy.unique(owners[owners >= 0]):
            path = TextPath((0, 0), str(node), size=size)
            low, high = path.vertices.min(axis=0), path.vertices.max(axis=0)
            centred = path.transformed(Affine2D().translate(*-(low + high) / 2))
            m, n = numpy.nonzero(owners == node)
            self.axes.plot(n + 0.5, m + 0.5, linestyle="none", marker=centred, markersize=2 * numpy.abs(centred.vertices).max(),
                           color=self.ink(node), scalex=False, scaley=False, clip_on=False)

    def ink(self, node):
        return "white" if is_dark(self.colors[node]) else INK

    def sections(self):
        lower, end = self.content["lower_only"], 0
        for k in self.content["sections"]:
            right = k if lower else self.nt
            for color, width in (("white", 2), (INK, 0.9)):
                self.axes.plot([0, right], [k, k], color=color, linewidth=width)
                self.axes.plot([k, k], [k if lower else 0, self.mt], color=color, linewidth=width)
            at = self.y(k) - (8 if lower else 0)  # above the diagonal
            if at - 7 >= end:
                self.page.text(self.x(right) + 5, at, f"k = {k + 1}", 11)
                end = at + 7

    def legend(self, left, y):
        page = self.page
        types = self.nodes["type"]
        for name in dict.fromkeys(types):
            nodes = [n for n, t in enumerate(types) if t == name]
            if name:
                page.text(left, y + 9, page.fitted(name, LEGEND, bold=True), bold=True)
                y += 18
            text = f"{count_of(len(nodes), 'node')}, {tiles_text([self.nodes['tiles'][n] for n in nodes])}"
            page.text(left, y + 8, text, 12)
            y += 20
            y = self.swatches(left, y, nodes) if len(types) <= MOST_LISTED else self.ramp(left, y, nodes)
            if len({self.nodes["shade"][n] for n in nodes}) < len(nodes):
                page.text(left, y + 8, "several nodes have the same shade", 12)
                y += 16
            y += 16
        return y

    def swatches(self, left, y, nodes):
        """Draws a coloured box for each node, with its number."""
        each = LEGEND // (SWATCH + 1)
        for i, node in enumerate(nodes):
            x, top = left + i % each * (SWATCH + 1), y + i // each * 17
            self.page.box(x, top, SWATCH, 16, self.colors[node])
            self.page.text(x + SWATCH / 2, top + 8, str(node), 11, "center", self.ink(node))
        return y + -(-len(nodes) // each) * 17

    def ramp(self, left, y, nodes):
        """Draws all shades of a type with too many nodes to name."""
        shown = {self.nodes["shade"][n]: n for n in reversed(nodes)}
        for i, shade in enumerate(sorted(shown)):
            self.page.box(left + i * LEGEND / len(shown), y, LEGEND / len(shown), 16, self.colors[shown[shade]])
        y += 20
        if nodes[-1] - nodes[0] + 1 == len(nodes):
            self.page.text(left, y + 8, f"nodes {nodes[0]}–{nodes[-1]}", 12)
            y += 16
        return y

    def partition(self, left, y):
        """Draws the unit square of the nodes below the legend. Returns its lower end."""
        page = self.page
        page.text(left, y + 9, "Partition of the unit square", bold=True)
        y += 24
        for node, (x, top, width, height) in enumerate(self.content["partition"]):
            wide, high = width * LEGEND, height * LEGEND
            if wide * high <= 0:
                continue
            page.box(left + x * LEGEND, y + top * LEGEND, wide, high, self.colors[node], "white", 0.6)
            fits = min(high / 1.2, wide / (0.7 * len(str(node))))
            if fits >= 7:
                page.text(left + (x + width / 2) * LEGEND, y + (top + height / 2) * LEGEND, str(node), min(fits, 13), "center", self.ink(node))
        page.box(left, y, LEGEND, LEGEND, edge=INK)
        return y + LEGEND


def draw(content):
    return Map(content).draw()
