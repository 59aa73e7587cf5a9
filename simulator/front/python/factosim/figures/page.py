# mypy: ignore-errors
"""A page in units of which letters are 13 high, with shapes, texts and axes at their places."""

import itertools
import math

import numpy
from matplotlib import rcParams
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

LETTER = 13  # units of the letters of labels
SMALL = 11
INK = "#1d232b"
MUTED = "#666666"


class OptionError(ValueError):
    """An option that cannot be followed: "PLACE: PROBLEM (WHY). REMEDY"."""


def mixed(color, share):
    """Returns the colour mixed with white; `share` of 1 is the colour itself."""
    return tuple(1 - share * (1 - channel) for channel in to_rgb(color))


def is_dark(color):
    """Returns true if white letters are easier to read on the colour than black ones."""
    red, green, blue = to_rgb(color)
    return 0.2126 * red**2 + 0.7152 * green**2 + 0.0722 * blue**2 < 0.25  # relative luminance (WCAG 2, with exponent 2)


class Page:
    """The page of a figure. x increases to the right, y downwards; `finish` sets its height."""

    def __init__(self, options, width=None):
        """`width`: in units; None: as the options or the style have it."""
        self.options = options
        self.unit = rcParams["font.size"] / LETTER / 72  # inches
        self.grey = options.get("grey", False)
        chosen = options["width_mm"] / 25.4 / self.unit if "width_mm" in options else None
        self.width = chosen or width or rcParams["figure.figsize"][0] / self.unit
        self.figure = Figure(figsize=(self.width * self.unit, 1))
        self.axes = self.figure.add_axes([0, 0, 1, 1], label="page")
        self.axes.set_axis_off()
        self.plots = []  # axes and their boxes
        self.order = itertools.count(1)  # later shapes lie above earlier ones

    def paint(self, color):
        """Returns the colour, or its luminance if the figure is grey."""
        if not self.grey:
            return color
        red, green, blue = to_rgb(color)
        return (0.299 * red + 0.587 * green + 0.114 * blue,) * 3  # ITU-R BT.601

    def points(self, units):
        return units * self.unit * 72

    def text(self, x, y, text, size=LETTER, align="left", color=INK, bold=False, upwards=False):
        """Writes a line of text; y is the middle of its height."""
        return self.axes.text(x, y, text, fontsize=self.points(size), ha=align, va="center" if upwards else "center_baseline",
                              color=self.paint(color), weight="bold" if bold else "normal", rotation=90 if upwards else 0,
                              rotation_mode="anchor" if upwards else None, zorder=next(self.order))

    def box(self, x, y, width, height, color="none", edge="none", line=0.6):
        self.axes.add_patch(Rectangle((x, y), width, height, facecolor=self.paint(color) if color != "none" else color,
                                      edgecolor=self.paint(edge) if edge != "none" else edge, linewidth=line, clip_on=False, zorder=next(self.order)))

    def line(self, x, y, color=INK, width=0.6, **style):
        self.axes.plot(x, y, color=self.paint(color), linewidth=width, scalex=False, scaley=False, clip_on=False, zorder=next(self.order), **style)

    def plot(self, left, top, width, height, **options):
        """Returns new axes that fill this box of the page."""
        axes = self.figure.add_axes([0, 0, 1, 1], label=f"plot {len(self.plots)}", **options)
        self.plots.append((axes, left, top, width, height))
        return axes

    def finish(self, height, width=None):
        """Sets the height of the page, its width if given, and the places of its axes. Returns the figure."""
        self.width = width or self.width
        self.figure.set_size_inches(self.width * self.unit, height * self.unit)
        self.axes.set_xlim(0, self.width)
        self.axes.set_ylim(height, 0)
        for axes, left, top, width, high in self.plots:
            axes.set_position([left / self.width, 1 - (top + high) / height, width / self.width, high / height])
        return self.figure

    def width_of(self, text, size=LETTER, bold=False):
        """Returns the width of a text in units."""
        font = FontProperties(size=100, weight="bold" if bold else "normal")
        return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 100 * size if text else 0

    def fitted(self, text, room, size=LETTER, bold=False):
        """Returns the text, shortened to the room with "…" at the end."""
        if self.width_of(text, size, bold) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.width_of(text[:middle] + "…", size, bold) <= room else (low, middle - 1)
        return text[:low] + "…"

    def wrapped(self, text, room, size=LETTER, bold=False, most=100):
        """Returns the text in at most `most` lines of this width, broken at spaces where possible."""
        lines, line = [], ""
        for word in text.split(" "):
            while self.width_of(word, size, bold) > room and len(word) > 1:
                part = self.fitted(word, room, size, bold)[:-1] or word[0]
                lines += [line] * bool(line) + [part]
                line, word = "", word[len(part):]
            longer = f"{line} {word}" if line else word
            if line and self.width_of(longer, size, bold) > room:
                lines.append(line)
                line = word
            else:
                line = longer
        lines += [line] * bool(line)
        return lines if len(lines) <= most else lines[:most - 1] + [self.fitted(" ".join(lines[most - 1:]), room, size, bold)]

    def heading(self, y, text, size=LETTER, room=None, left=12, most=3):
        """Writes a bold title in lines. Returns its lower end."""
        for line in self.wrapped(text, (room or self.width - left) - 12, size, True, most) if text else []:
            self.text(left, y + size * 0.65, line, size, bold=True)
            y += size * 1.35
        return y


def round_ticks(first, last, most):
    """Returns at most `most` round numbers from `first` to `last`, whose distance is 1, 2 or 5 times a power of ten."""
    if not last > first:
        return [first]
    step = 10.0 ** math.floor(math.log10((last - first) / most))
    step *= next((d for d in (1, 2, 5) if math.floor(last / (d * step)) - math.ceil(first / (d * step)) + 1 <= most), 10)
    low = math.ceil(first / step - 1e-9)
    return [n * step for n in range(low, math.floor(last / step * (1 + 1e-12) + 1e-9) + 1)]


def logarithmic_ticks(first, last, most):
    """The same for a logarithmic axis: powers of ten, with 2 and 5 or with 3 times these if there is room."""
    if not last > first > 0:
        return [first]
    powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    for digits, stride in [((1, 2, 5), 1), ((1, 3), 1)] + [((1,), n) for n in range(1, 700)]:
        ticks = [d * 10.0**e for e in powers[::stride] for d in digits if first * (1 - 1e-9) <= d * 10.0**e <= last * (1 + 1e-9)]
        if len(ticks) <= most:
            return ticks if len(ticks) >= 2 else round_ticks(first, last, most)


def number(value):
    """Returns a number as an axis shows it: "0.25", "200 000" with thin spaces, "2e-06"."""
    text = f"{value + 0.0:.6g}"
    return f"{int(value):,}".replace(",", "\u2009") if abs(value) >= 1e5 and text.lstrip("-").isdigit() else text


def grid(entries, intervals, end):
    """Returns the values of (from, to, value) on equal intervals from 0 to `end`; 0 where there is none."""
    out = numpy.zeros(intervals)
    for begin, stop, value in entries:
        out[round(begin / end * intervals):round(stop / end * intervals)] = value
    return out
