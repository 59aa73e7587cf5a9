#!/usr/bin/env python3
"""Figures as matplotlib draws them: what they show, that no texts overlap, and that the same content has the same bytes.

    tests/report/figures_test.py FACTOSIM
"""

import importlib.util
import io
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "simulator/front/python/factosim/figures"
program = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None

try:
    import matplotlib.image
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text
except ImportError:
    sys.exit("figures need matplotlib (python3-matplotlib)")
spec = importlib.util.spec_from_file_location("figures", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)])
figures = importlib.util.module_from_spec(spec)
sys.modules["figures"] = figures
spec.loader.exec_module(figures)


def content_of(*arguments):
    """Returns the content of a figure that the program writes."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, *arguments, "-o", f"{folder}/f.json"], check=True, capture_output=True)
        return figures.load(f"{folder}/f.json")


def texts(figure):
    return [t.get_text() for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def fault(figure):
    """Returns what is wrong with the texts of a figure: one is cut off, or two overlap; else ""."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    width, height = canvas.get_width_height()
    boxes = []
    for text in figure.findobj(Text):
        if text.get_text() and text.get_visible():
            box = text.get_window_extent(renderer)
            if box.width > 0 and any(axis.get_visible() for axis in [text.axes or figure]):
                boxes.append((text.get_text(), box))
    for name, box in boxes:
        if box.x0 < -0.5 or box.y0 < -0.5 or box.x1 > width + 0.5 or box.y1 > height + 0.5:
            return f"cut off: {name}"
    for (a, one), (b, other) in itertools.combinations(boxes, 2):
        # Boxes have room for letters with tails; half of it may be shared.
        tail = 0.2 * min(one.height, other.height)
        if one.x0 < other.x1 - 0.5 and other.x0 < one.x1 - 0.5 and one.y0 < other.y1 - tail and other.y0 < one.y1 - tail:
            return f"{a} overlaps {b}"
    return ""


def name(draw):
    return draw.choice("abcmwx_$&") * draw.randint(1, 24)


def random_lines(draw):
    options = {}
    if draw.random() < 0.7:
        options["width_mm"] = draw.randint(70, 180)
    if draw.random() < 0.7:
        options["height_mm"] = draw.randint(50, 160)
    if draw.random() < 0.7:
        options["font_pt"] = draw.randint(5, 11)
    for axis in "xy":
        options[axis] = {"logarithmic": draw.random() < 0.3}
    plots, rows = [], []
    for _ in range(draw.choice([1, 1, 2])):
        scale, first = 10.0 ** draw.randint(-8, 8), len(rows)
        curves = [name(draw) for _ in range(draw.randint(1, 12))]
        for curve in curves:
            xs = sorted(draw.sample(range(1, 60), draw.randint(1, 20)))
            rows += [(curve, x * draw.choice([1, scale]), scale * draw.randint(1, 1000), None, None) for x in xs]
        plots.append({"title": name(draw), "x": name(draw), "y": name(draw)[:12], "legend": draw.choice(["", name(draw)]), "curves": curves,
                      "bounds": [], "first_row": first, "end_row": len(rows)})
    return {"kind": "lines", "title": "", "options": options, "plots": plots,
            "columns": dict(zip(("curve", "x", "value", "ci95_low", "ci95_high"), map(list, zip(*rows))))}


def lines_of(curves, options=None, spread=None):
    rows = [(curve, x, x + n, *(spread or (None, None))) for n, curve in enumerate(curves) for x in (1, 2)]
    return {"kind": "lines", "title": "", "options": options or {},
            "plots": [{"title": "t", "x": "Nodes", "y": "Makespan (s)", "legend": "", "curves": curves, "bounds": [], "first_row": 0, "end_row": len(rows)}],
            "columns": dict(zip(("curve", "x", "value", "ci95_low", "ci95_high"), map(list, zip(*rows))))}


class Runs(unittest.TestCase):
    """Figures of a run of the program."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        run = cls.run_of = lambda out, *settings: subprocess.run(
            [program, "run", str(ROOT / "scenarios/lu_icpads20/fig06_1d1d.json"), "--set", "nt=14", *settings, "--out", f"{cls.folder.name}/{out}"],
            check=True, capture_output=True)
        run("one")
        run("two", "--set", "/name=\"another run with a long name that does not fit in one line of its part of the page\"")
        cls.one, cls.two = (f"{cls.folder.name}/{n}" for n in ("one", "two"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_panels_have_titles_rows_legends_and_one_axis_of_time(self):
        content = content_of("report", self.one, "--figure", "iterations,workers,nodes,ready,network")
        figure = figures.draw(content)
        panels = [axes for axes in figure.axes if axes.get_label().startswith("plot")]
        self.assertEqual(len(panels), 5)
        self.assertEqual([axes.get_xlabel() for axes in panels], [""] * 4 + ["Time (s)"])
        self.assertEqual(len({axes.get_xlim() for axes in panels}), 1)
        shown = texts(figure)
        for text in ("Iterations", "Workers (right: idle)", "gemm", "getrf", "ready", "running", "k = 0", "CPU 0"):
            self.assertIn(text, shown)
        self.assertEqual(shown.count("gemm"), 1, "the kernels of a figure have one legend")
        self.assertTrue(any(t.startswith("Network (") for t in shown), "with its unit")
        self.assertEqual(fault(figure), "")

    def test_each_row_has_its_label_and_the_area_bound_hides_nothing(self):
        content = content_of("report", self.one, "--figure", "workers,nodes")
        figure = figures.draw(content)
        shown, rows = texts(figure), list(zip(*(content["rows"][c] for c in ("panel", "label", "group", "note"))))
        labels = [label for panel, label, *_ in rows if panel == "nodes"] + sorted({group for panel, _, group, _ in rows if panel == "workers"})
        self.assertGreater(len(labels), 15)
        for label in labels:
            self.assertIn(label, shown)
        for note in {note for panel, _, _, note in rows if panel == "nodes"}:
            self.assertGreaterEqual(shown.count(note), sum(row[0] == "nodes" and row[3] == note for row in rows))
        self.assertEqual([line.get_color() for axes in figure.axes[1:] for line in axes.lines if line.get_color() in ("white", "w", "#ffffff")], [])

    def test_runs_stand_beside_each_other(self):
        figure = figures.draw(content_of("report", self.one, self.two, "--figure", "workers,memory"))
        self.assertEqual(len(figure.axes), 1 + 4)
        self.assertEqual(fault(figure), "")

    def test_every_figure_is_drawn_and_is_small(self):
        for panel in ("iterations", "workers", "states", "nodes", "ready", "submitted", "gflops", "memory", "network", "messages", "map", "bounds", "lost"):
            with self.subTest(panel):
                content = content_of("report", self.one, "--figure", panel)
                self.assertLess(len(figures.picture(content, "svg")), 200_000)
                self.assertEqual(fault(figures.draw(content)), "")

    def test_a_part_of_the_time_is_shown(self):
        figure = figures.draw(content_of("report", self.one, "--figure", "workers", "--x-range", "0.1:0.2"))
        self.assertEqual(figure.axes[1].get_xlim(), (0.1, 0.2))

    def test_many_cells_are_an_image_and_few_are_paths(self):
        content = content_of("report", self.one, "--figure", "workers")
        self.assertEqual(len(figures.draw(content).axes[1].images), 1)
        first = {column: values[:20] for column, values in content["columns"].items()}
        self.assertEqual(len(figures.draw({**content, "columns": first}).axes[1].images), 0)

    def test_the_same_content_has_the_same_bytes(self):
        content = content_of("report", self.one, "--figure", "workers,ready")
        for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF-"), ("png", b"\x89PNG")):
            picture = figures.picture(content, kind)
            self.assertTrue(picture.startswith(start))
            self.assertEqual(picture, figures.picture(content, kind))

    def test_machines_are_named_with_their_rates(self):
        content = content_of("platform", "show", "lille")
        shown = texts(figures.draw(content))
        for text in ("chetemi", "chifflet", "20 cores", "RAM 275 GB", "1.25 GB/s", "never limits", "chifflot"):
            self.assertIn(text, shown)
        self.assertEqual(fault(figures.draw(content)), "")

    def test_a_map_has_its_types_and_the_owners_of_tiles(self):
        content = content_of("report", self.one, "--figure", "map")
        shown = texts(figures.draw(content))
        for text in ("chetemi", "chifflet", "column n of tiles", "14 × 14 tiles on 21 nodes"):
            self.assertIn(text, shown)
        content["cells"][0][0] = -1
        pixels = figures.draw(content).axes[1].images[0].get_array()
        self.assertEqual(pixels.shape[:2], (14, 14))
        self.assertEqual(tuple(pixels[0, 0]), (1, 1, 1))


class Plots(unittest.TestCase):
    def test_texts_of_plots_neither_overlap_nor_are_cut_off(self):
        draw = random.Random(1)
        for n in range(30):
            content = random_lines(draw)
            with self.subTest(n):
                self.assertEqual(fault(figures.draw(content)), "")

    def test_texts_of_heat_maps_neither_overlap_nor_are_cut_off(self):
        draw = random.Random(2)
        for n in range(12):
            rows, columns = draw.randint(1, 12), draw.randint(1, 12)
            content = {"kind": "heat", "title": name(draw), "x": name(draw), "y": name(draw), "value": name(draw), "options": {},
                       "column_names": [name(draw) for _ in range(columns)], "row_names": [name(draw) for _ in range(rows)],
                       "scale": ["#fff3c4", "#8597f0", "#0b3c6e"],
                       "cells": [[draw.choice([None, draw.randint(1, 9999) * 10.0 ** draw.randint(-4, 4)]) for _ in range(columns)] for _ in range(rows)]}
            with self.subTest(n):
                self.assertEqual(fault(figures.draw(content)), "")

    def test_twelve_curves_differ_without_their_colours(self):
        figure = figures.draw(lines_of([str(n) for n in range(12)], {"grey": True}))
        looks = {(line.get_marker(), str(line._unscaled_dash_pattern)) for line in figure.axes[1].get_lines()}
        self.assertEqual(len(looks), 12)

    def test_replicas_have_bars(self):
        self.assertEqual(len(figures.draw(lines_of(["a"], spread=(0.5, 3))).axes[1].containers), 1)
        self.assertEqual(len(figures.draw(lines_of(["a"])).axes[1].containers), 0)

    def test_a_figure_has_the_size_and_the_letters_that_are_asked_for(self):
        figure = figures.draw(lines_of(["a"], {"width_mm": 88, "height_mm": 60, "font_pt": 7}))
        self.assertAlmostEqual(figure.get_figwidth() * 25.4, 88, 3)
        self.assertAlmostEqual(figure.get_figheight() * 25.4, 60, 0)
        self.assertAlmostEqual(figure.axes[1].xaxis.label.get_fontsize(), 7, 3)

    def test_a_style_changes_a_figure_and_a_wrong_one_is_refused(self):
        content = lines_of(["a"])
        figure = figures.draw(content, {"axes.linewidth": 3})
        self.assertEqual(figure.axes[1].spines["left"].get_linewidth(), 3)
        with tempfile.NamedTemporaryFile("w", suffix=".mplstyle") as file:
            file.write("figure.figsize: 3.5, 2.5\n")
            file.flush()
            self.assertEqual(figures.draw({**content, "options": {"style": file.name}}).get_figwidth(), 3.5)
        for style in ("nowhere.mplstyle", "http://localhost/style", {"no.key": 1}):
            with self.assertRaisesRegex(figures.OptionError, "^--style#: cannot be used"):
                figures.draw(content, style)
        self.assertEqual(matplotlib.rcParams["axes.linewidth"], matplotlib.rcParamsDefault["axes.linewidth"])

    def test_names_are_text_and_never_markup(self):
        content = lines_of(["<a> & $x_1$", "_hidden"])
        content["plots"][0]["title"] = "$\\frac{broken}$ \x01\ufffe\uffff\ud800 <script>"
        shown = texts(figures.draw(content))
        self.assertIn("<a> & $x_1$", shown)
        self.assertIn("_hidden", shown)
        svg = figures.picture(content, "svg")
        self.assertNotIn(b"<script>", svg)
        xml.etree.ElementTree.fromstring(svg)

    def test_grey_figures_have_no_colours(self):
        png = figures.picture(lines_of(["a", "b", "c"], {"grey": True}), "png", {"text.color": "black", "axes.edgecolor": "black",
                              "axes.labelcolor": "black", "xtick.color": "black", "ytick.color": "black"})
        pixels = matplotlib.image.imread(io.BytesIO(png))[:, :, :3]
        self.assertLess((pixels.max(axis=2) - pixels.min(axis=2)).max(), 0.1)


if __name__ == "__main__":
    if program is None:
        sys.exit(__doc__)
    unittest.main()
