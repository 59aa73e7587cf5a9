"""The page of a sweep in a browser: part of browser_test.py."""

import json
import os
import subprocess

from open_page import HOSTILE, PROGRAM, ROOT, ActionChains, Page, check, factosim
from run_view import accessible
from selenium.webdriver.common.keys import Keys

SWEPT = {"format": "factosim-sweep", "version": 1, "name": HOSTILE, "set": {"/application/nt": 10, "/scheduler/type": "random"}, "replicas": 3,
         "scenario": ROOT + "/scenarios/lu_icpads20/fig13_growing_matrix.json",
         "points": {"product": [{"strong_scaling": {"nodes": [{"type": "chetemi", "count": [1, 2, 4, 6]}]}},
                                {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"},
                                                   {"label": HOSTILE, "value": {"type": "block-cyclic", "p": 2, "q": 2}}]},
                                {"/application/nt": [8, 10]}]}}


def swept(folder):
    """A sweep of 72 points; grids of 2 x 2 fail on one node and on two."""
    with open(f"{folder}/swept.json", "w") as file:
        json.dump(SWEPT, file)
    done = subprocess.run([PROGRAM, "sweep", f"{folder}/swept.json", "--out", f"{folder}/swept"], capture_output=True, text=True)
    check(done.returncode == 2 and "12 of 72 points failed" in done.stderr, f"a sweep with points that fail: {done.stderr[-300:]}")
    factosim("report", f"{folder}/swept", "-o", f"{folder}/swept.html")
    with open(f"{folder}/swept/sweep.jsonl") as file:
        return [json.loads(line) for line in file]


def student(values):
    """Mean and 95 % confidence interval of three values: 4.302653 is the quantile of two degrees of freedom, as printed in tables."""
    mean = sum(values) / 3
    half = 4.302653 * (sum((v - mean) ** 2 for v in values) / 2) ** 0.5 / 3 ** 0.5
    return mean, mean - half, mean + half


def curves_of(page, metric):
    """What the charts of a metric show: {(panel, line, x): (y, low, high)}."""
    found = page.js("""return factosim.charts.get(arguments[0]).flatMap(({panel}) => panel.curves.flatMap((c) =>
        c.points.map((p) => [panel.where, c.name, p.x, p.y, p.spread.low, p.spread.high])))""", metric)
    return {(where, line, x): rest for where, line, x, *rest in found}


def charts_show_the_sweep(page, rows):
    for metric, of in [("makespan_s", lambda r: r["makespan_s"]), ("gflops", lambda r: r["gflops"]), ("efficiency", lambda r: r["efficiency"])]:
        expected = {}
        for row in rows:
            if row["status"] == "done":
                expected.setdefault((f"Tiles per row {row['application/nt']}", row["distribution"], row["nodes"]), []).append(of(row))
        shown = curves_of(page, metric)
        check(set(shown) == set(expected) and len(shown) == 20, f"{metric}: a point for each combination: {len(shown)}, {len(expected)}")
        for key, values in expected.items():
            check(all(abs(a - b) <= 1e-6 * abs(b) for a, b in zip(shown[key], student(values))), f"{metric} at {key}: mean and interval")
    # Bars are drawn from one end of the interval of the mean to the other, as in figures, and each panel says so.
    page.show("m-makespan_s")
    drawn = page.js("""const plot = factosim.charts.get('makespan_s')[0], out = [];
        plot.bar = (ctx, x, low, high) => out.push([low, high].map((y) => plot.plot.posToVal(y / devicePixelRatio - plot.plot.bbox.top / devicePixelRatio, 'y')));
        plot.plot.batch(() => plot.plot.redraw(false, true));
        delete plot.bar;
        return [out, plot.panel.curves.flatMap((c) => c.points.map((p) => [p.spread.low, p.spread.high]))]""")
    check(len(drawn[0]) == 10 and all(abs(a - b) < 1e-6 * abs(b) for bar, exact in zip(*drawn) for a, b in zip(bar, exact)), f"bars are intervals of the mean: {drawn}")
    notes = page.js("return [...document.querySelectorAll('[id^=m-]:not([hidden]) > .note')].map((n) => n.innerText)")
    check(len(notes) >= 4 and all("95 % confidence intervals, n = 3" in note for note in notes), f"and say what they are: {notes}")
    least = min(r["bound_s"] for r in rows if r["status"] == "done" and r["nodes"] == 4 and r["application/nt"] == 8)
    bound = page.js("return factosim.charts.get('makespan_s')[0].panel.bound")
    check(dict(map(tuple, bound))[4] == least, "the bound is that of the table")
    check(page.js("return factosim.charts.get('makespan_s').map(({panel}) => panel.failed.length)") == [6, 6], "failed points are in the charts")
    seen = page.colors("m-makespan_s")
    for color in page.js("return factosim.sweep.colors.slice(1, 3)"):
        check(seen.get(color, 0) > 60, f"the line {color} is seen")


def point_at_mark(page, metric, line, x, click=False):
    """Moves the mouse onto a point of the first chart of a metric and returns what the box beside it says."""
    page.show("m-" + metric)
    plot, left, top, width, height = page.js("""const p = factosim.charts.get(arguments[0])[0], u = p.plot;
        const q = p.panel.curves.find((c) => c.name === arguments[1]).points.find((q) => q.x === arguments[2]);
        return [u.over, u.valToPos(q.x, "x"), u.valToPos(q.y, "y"), u.over.clientWidth, u.over.clientHeight]""", metric, line, x)
    actions = ActionChains(page.browser).move_to_element_with_offset(plot, round(left - width / 2), round(top - height / 2))
    (actions.click() if click else actions).perform()
    page.settle()
    return page.js("const h = document.querySelector('.hover'); return h.hidden ? null : h.innerText")


def points_tell_themselves(page, rows, folder):
    check("also here" in (point_at_mark(page, "makespan_s", "1d1d", 1) or ""), "the box tells of points below each other")
    text = point_at_mark(page, "tiles_sent", HOSTILE, 6)
    for word in [HOSTILE + ", Messages between nodes: ", "Tiles per row\n8", "Nodes\n6", "replicas\n3", "95 % confidence", "median, quartiles", "estimates"]:
        check(text is not None and word in text, f"the box tells {word}: {text}")
    point_at_mark(page, "tiles_sent", HOSTILE, 6, click=True)
    row = next(r for r in rows if r["nodes"] == 6 and r["application/nt"] == 8 and r["distribution"] == HOSTILE)
    check(page.js("return factosim.selected") == row["point"], f"a click selects a point: {page.js('return factosim.selected')}, {row['point']}")
    check(HOSTILE in page.js("return document.querySelector('.drawer').innerText"), "which is told with its name as it is")
    # What the page says to type is the run of that point.
    command = page.js("return document.getElementById('command').textContent")
    done = subprocess.run(["sh", "-c", f"factosim() {{ \"$PROGRAM\" \"$@\"; }}\nset -e\n{command}"], env={**os.environ, "PROGRAM": PROGRAM},
                          capture_output=True, text=True)
    check(done.returncode == 0, f"the command works: {done.stderr}")
    run = f"{folder}/swept/runs/{row['id']}"
    check(json.load(open(run + "/result.json"))["makespan_s"] == row["makespan_s"], "and simulates that point")
    page.key(Keys.ARROW_LEFT)
    check(page.js("return factosim.points.value('nodes', factosim.selected)") == 4, "an arrow goes along the line")
    page.key(Keys.ESCAPE)
    check(page.js("return [factosim.selected, document.querySelector('.drawer')]") == [None, None], "Esc closes it")
    factosim("report", f"{folder}/swept", "-o", f"{folder}/swept.html", "--force")
    again = Page(page.browser, f"{folder}/swept.html")
    again.js("factosim.select(arguments[0])", row["point"])
    check(again.js("return document.getElementById('pointreport').href") == f"file://{run}/report.html", "a made page leads to the run's report")
    return again


def table_of(page):
    return page.js("""return [...document.querySelectorAll('#points tbody tr')].map((tr) => [Number(tr.dataset.point),
        tr.children[arguments[0]].dataset.value ?? null])""",
                   page.js("return [...document.querySelectorAll('#points thead button')].findIndex((b) => b.dataset.column === 'makespan_s')"))


def table_sorts_and_filters(page, rows):
    def sort(column):
        page.js("document.querySelector(`#points thead button[data-column='${arguments[0]}']`).click()", column)

    def filtered(text):
        page.js("const f = document.getElementById('filter'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", text)
        return [point for point, _ in table_of(page)]

    shown = table_of(page)
    check(shown == [[r["point"], repr(r["makespan_s"]) if "makespan_s" in r else None] for r in rows], "every point is in the table with its exact makespan")
    sort("makespan_s"), sort("makespan_s")
    values = [float(v) for _, v in table_of(page) if v is not None]
    check(values == sorted(values, reverse=True) and len(values) == 60, "it sorts")
    check([v for _, v in table_of(page)][60:] == [None] * 12, "points without a value come last")
    sort("point")
    check(filtered("nodes>=4 distribution=block") == [], "a condition compares the whole text")
    check(len(filtered("nodes>=4 1d1d")) == 12, "a word is looked for in what the table holds")
    check(filtered("status=failed") == [r["point"] for r in rows if r["status"] == "failed"], "failed points are found")
    check(filtered("nodes>=4 onerror") == [r["point"] for r in rows if r["nodes"] >= 4 and r["distribution"] == HOSTILE], "words and conditions together")
    filtered("")
    page.js("const s = document.querySelector('[data-filter=\"application/nt\"]'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    check(len(table_of(page)) == 36 and page.js("return factosim.charts.get('makespan_s').length") == 1, "keeping one value leaves one chart")
    page.js("const s = document.querySelector('[data-filter=\"application/nt\"]'); s.value = ''; s.dispatchEvent(new Event('change'))")


def axes_can_be_chosen(page, rows):
    page.js("const s = document.getElementById('x'); s.value = 'distribution'; s.dispatchEvent(new Event('change'))")
    check(page.js("return factosim.state.series") != "distribution", "axis and lines differ")
    page.js("const s = document.getElementById('series'); s.value = 'nodes'; s.dispatchEvent(new Event('change'))")
    shown = curves_of(page, "makespan_s")
    check(len(shown) == 20 and {(line, x) for _, line, x in shown} == {(str(n), d) for n in (1, 2, 4, 6) for d in (0, 1, 2) if d < 2 or n >= 4},
          "texts on the axis")
    page.key("m")
    cells = page.js("return [...document.querySelectorAll('#m-makespan_s td[data-value]')].length")
    check(cells == 10, f"m shows a heat map: {cells}")
    page.key("m"), page.key("g")
    check(page.js("return factosim.charts.get('makespan_s')[0].plot.scales.y.distr") == 3, "g makes axes logarithmic")
    page.js("document.querySelector('[data-panel=m-node_hours]').click()")
    page.settle()
    check("m-node_hours" in page.sections() and page.js("return factosim.charts.get('node_hours').length") == 2, "any result can be shown")
    before = page.js("return getComputedStyle(document.body).backgroundColor")
    page.key("t")
    check(page.js("return getComputedStyle(document.body).backgroundColor") != before, "t changes light and dark")


def names_are_human(page):
    """No column's name where a label is meant; titles and units on both axes; a title of the legend."""
    shown = page.js("return document.querySelector('main').innerText + document.querySelector('.chips').innerText")
    for name in ["makespan_s", "gflops", "tiles_sent", "d2h_bytes", "abe_of_most_loaded_s", "nodes_chetemi", "application/nt"]:
        check(name not in shown.split("Provenance")[0], f"no {name} on the page")
    for name in ["Makespan (s)", "Tiles per row"]:
        check(name in shown, f"{name} on the page")
    # The nodes, which three columns state, are one parameter.
    choices = page.js("return [...document.querySelectorAll('#x option')].map((o) => o.text)")
    check(sorted(choices) == ["Distribution", "Nodes", "Tiles per row"], f"each parameter once: {choices}")
    filters = page.js("return [...document.querySelectorAll('.filters select')].map((s) => s.ariaLabel)")
    check(sorted(filters) == sorted(choices) and shown.count("Nodes of type") == 0, f"in filters too: {filters}")
    axes = page.js("return factosim.charts.get('makespan_s')[0].plot.axes.map((a) => typeof a.label === 'function' ? a.label() : a.label)")
    check(axes == ["Nodes", "Makespan (s)"], f"titles of the axes: {axes}")
    check(page.js("return document.querySelector('#m-makespan_s .keytitle').textContent") == "Distribution:", "a title of the legend")
    file = page.js("const f = factosim.files.get('m-makespan_s'); return [f.svg(), f.csv()]")
    check("Makespan (s)" in file[0] and "<path" in file[0] and len(file[1].splitlines()) == 21, "a chart as SVG and CSV")


def grid_of_nodes(browser, folder):
    """Two counts of nodes that form a grid: one on the axis, one in lines, without being told."""
    sweep = {"format": "factosim-sweep", "version": 1, "name": "grid", "set": {"/application/nt": 8},
             "scenario": ROOT + "/scenarios/lu_icpads20/fig13_growing_matrix.json",
             "points": {"product": [{"strong_scaling": {"nodes": [{"type": "chifflet", "count": [a for a in (1, 2, 3) for _ in range(3)]},
                                                                  {"type": "chetemi", "count": [1, 2, 3] * 3}]}},
                                    {"/distribution": [{"type": "block-cyclic"}, {"type": "1d1d"}]}]}}
    with open(f"{folder}/grid.json", "w") as file:
        json.dump(sweep, file)
    factosim("sweep", f"{folder}/grid.json", "--out", f"{folder}/grid")
    factosim("report", f"{folder}/grid", "-o", f"{folder}/grid.html")
    page = Page(browser, f"{folder}/grid.html")
    axes = page.js("return [factosim.state.x, factosim.state.series]")
    check(sorted(axes) == ["nodes_chetemi", "nodes_chifflet"], f"the counts are axis and lines: {axes}")
    charts = page.js("return factosim.charts.get('makespan_s').map(({panel}) => panel.curves.map((c) => c.points.length))")
    check(charts == [[3, 3, 3]] * 2, f"a chart for each distribution with three lines of three points: {charts}")
    page.key("m")
    check(page.js("return document.querySelectorAll('#m-makespan_s td[data-value]').length") == 9, "a heat map of nine cells")
    page.no_errors()


def swept_page(browser, folder, name, **sweep):
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump({"format": "factosim-sweep", "version": 1, "name": name, **sweep}, file)
    factosim("sweep", f"{folder}/{name}.json", "--out", f"{folder}/{name}")
    factosim("report", f"{folder}/{name}", "-o", f"{folder}/{name}.html")
    return Page(browser, f"{folder}/{name}.html")


AXES = """const plot = factosim.charts.get(arguments[0])[0].plot, fill = CanvasRenderingContext2D.prototype.fillText, out = [];
    plot.ctx.fillText = (text, x, y) => out.push([text, y > plot.bbox.top + plot.bbox.height ? "x" : "y"]);
    try { plot.batch(() => plot.redraw(false, true)); } finally { delete plot.ctx.fillText; }
    return [out, plot.scales.x.distr]"""


def axes_suit_their_values(browser, folder):
    """Powers of two open logarithmic; ticks stand at the swept values; large rates have a larger unit; no panel of zeros."""
    nodes = {"strong_scaling": {"nodes": [{"type": "chifflet", "count": [1, 2, 4, 8]}]}}
    page = swept_page(browser, folder, "powers", points={"product": [nodes]}, set={"/application/nt": 24},
                      scenario=ROOT + "/scenarios/lu_icpads20/fig13_growing_matrix.json")
    labels, kind = page.js(AXES, "gflops")
    texts = {side: [text for text, at in labels if at == side] for side in "xy"}
    check(kind == 3 and texts["x"] == ["Nodes", "1", "2", "4", "8"], f"1, 2, 4, 8 nodes: {texts['x']}, {kind}")
    most = max(page.js("return factosim.charts.get('gflops')[0].panel.curves[0].points.map((p) => p.y)"))
    check(most > 1000 and texts["y"][0] == "Performance (TFlop/s)" and max(map(float, texts["y"][1:])) < most, f"in TFlop/s: {texts['y']}, {most}")
    check("m-tiles_sent" in page.sections(), "tiles are sent between nodes")
    page.key("g"), page.key("g")
    check(page.js(AXES, "gflops")[1] == 1, "g twice: linear")
    page.no_errors()
    page = swept_page(browser, folder, "sizes", scenario=ROOT + "/scenarios/first/lu_mirage.json",
                      points={"product": [{"/application/nt": [10, 13, 17]}, {"/scheduler/type": ["dmda", "dmdas"]}]})
    labels, kind = page.js(AXES, "makespan_s")
    check(kind == 1 and [text for text, at in labels if at == "x"] == ["Tiles per row", "10", "13", "17"], f"ticks at the swept values: {labels}, {kind}")
    check("m-tiles_sent" not in page.sections(), f"one node sends no tiles, which needs no panel: {page.sections()}")
    check(page.js("return document.querySelector('[data-panel=m-tiles_sent]') !== null"), "but it can be shown")
    page.no_errors()


def sweep(browser, folder):
    rows = swept(folder)
    page = Page(browser, f"{folder}/swept.html")
    check(page.js("return [window.hacked, document.querySelectorAll('img').length]") == [None, 0], "names are not run and make no elements")
    check(page.js("return [document.title, document.querySelector('h1').textContent]") == [HOSTILE, HOSTILE], "they are shown as they are")
    check(page.js("return document.documentElement.scrollWidth <= innerWidth"), "and do not widen the page")
    counts = page.js("return [...document.querySelectorAll('#counts tr[data-name]')].map((r) => [r.dataset.name, Number(r.dataset.value)])")
    check(dict(map(tuple, counts)) == {"points": 72, "done": 60, "failed": 12, "missing": 0, "replicas of each": 3}, f"counts: {counts}")
    check({"result", "m-makespan_s", "m-gflops", "m-efficiency", "m-speedup", "points", "failed", "provenance"} <= set(page.sections()), "panels of a sweep")
    charts_show_the_sweep(page, rows)
    names_are_human(page)
    accessible(page, "a sweep")
    page.no_errors()
    page = points_tell_themselves(page, rows, folder)
    table_sorts_and_filters(page, rows)
    axes_can_be_chosen(page, rows)
    page.no_errors()
    grid_of_nodes(browser, folder)
    axes_suit_their_values(browser, folder)
