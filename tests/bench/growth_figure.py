#!/usr/bin/env python3
"""Draws the tables of growth.sh: CPU seconds, memory and messages by the number of tasks.

    tests/bench/growth_figure.py tests/measurements.md tests/growth.svg

Reads all lines that growth.sh has printed, wherever they stand in the file. One line for each network model and form of
the task graph; the lines connect cases of LU, the crosses are Cholesky.
"""

import math
import re
import sys

COLUMNS = "application N nodes tasks messages network graph all_s cpu_s us_task us_both memory_mb bytes_task".split()
PANELS = [("CPU seconds of the program", "all_s"), ("memory, MB", "memory_mb"), ("messages", "messages")]
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]  # Okabe and Ito
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 300, 300, 52, 24, 44


def rows(text):
    """Returns the rows of the tables, with numbers where they are."""
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == len(COLUMNS) and re.fullmatch(r"\d+", fields[1]) and fields[6] in ("stored", "formulas"):
            number = lambda f: float(f) if re.fullmatch(r"[\d.]+", f) else f
            yield dict(zip(COLUMNS, map(number, fields)))


class Axis:
    """A logarithmic axis from one power of ten to another."""

    def __init__(self, values, begin, end):
        self.first = math.floor(math.log10(min(values)))
        self.last = max(math.ceil(math.log10(max(values))), self.first + 1)
        self.begin, self.end = begin, end

    def __call__(self, value):
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        return range(self.first, self.last + 1)


def power(exponent):
    if 0 <= exponent <= 2:
        return str(10**exponent)
    return f'10<tspan dy="-4" font-size="7">{exponent}</tspan>'


def panel(data, left, title, column, series):
    x = Axis([r["tasks"] for r in data], left + LEFT, left + WIDTH - 8)
    data = [r for r in data if isinstance(r[column], float) and r[column] > 0]
    y = Axis([r[column] for r in data], TOP + HEIGHT, TOP)
    out = [f'<text x="{left + LEFT}" y="{TOP - 9}" font-weight="bold">{title}</text>']
    for e in x.ticks():
        out.append(f'<path d="M{x(10.0**e):.1f} {TOP}V{TOP + HEIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{x(10.0**e):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{power(e)}</text>')
    for e in y.ticks():
        out.append(f'<path d="M{left + LEFT} {y(10.0**e):.1f}H{left + WIDTH - 8}" stroke="#ddd"/>')
        out.append(f'<text x="{left + LEFT - 6}" y="{y(10.0**e) + 4:.1f}" text-anchor="end">{power(e)}</text>')
    out.append(f'<text x="{left + (LEFT + WIDTH - 8) / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">tasks</text>')
    for colour, key in zip(COLOURS, series):
        points = sorted((r["tasks"], r[column], r["application"]) for r in data if (r["network"], r["graph"]) == key)
        places = [(x(tasks), y(value), application) for tasks, value, application in points]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py, application in places if application == "lu")
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-opacity="0.5"/>')
        for px, py, application in places:
            if application == "lu":
                out.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{colour}"/>')
            else:
                cross = f"M{px - 3:.1f} {py - 3:.1f}l6 6m0 -6l-6 6"
                out.append(f'<path d="{cross}" stroke="{colour}" stroke-width="1.6"/>')
    return out


def legend(series):
    out, left = [], LEFT
    for colour, (network, graph) in zip(COLOURS, series):
        text = f"{network}, graph {'stored' if graph == 'stored' else 'from formulas'}"
        out.append(f'<circle cx="{left}" cy="{TOP + HEIGHT + BOTTOM + 12}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{left + 8}" y="{TOP + HEIGHT + BOTTOM + 16}">{text}</text>')
        left += 24 + 6 * len(text)
    return out


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        data = list(rows(file.read()))
    if not data:
        sys.exit(f"{source} has no table of growth.sh")
    series = sorted({(r["network"], r["graph"]) for r in data}, key=lambda key: (key[1] != "stored", key[0]))
    drawn = legend(series)
    for i, (title, column) in enumerate(PANELS):
        drawn += panel(data, i * WIDTH, title, column, series)
    size = f'width="{3 * WIDTH + 12}" height="{TOP + HEIGHT + BOTTOM + 28}"'
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n'
                   f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(drawn) + "\n</svg>\n")


main()
