"""What a page shows in a browser beside its view: units, titles, the strip of the whole run, shades, rows as vectors. Part of browser_test.py."""

import csv
import json
import os
import re
import xml.etree.ElementTree

from open_page import ROOT, ActionChains, Page, check, factosim

FACTORS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12, "B": 1, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18, "%": 0.01,
           "Flop/s": 1e-9, "kFlop/s": 1e-6, "MFlop/s": 1e-3, "GFlop/s": 1, "TFlop/s": 1e3, "PFlop/s": 1e6, "EFlop/s": 1e9, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "": 1}


def shows(text, exact):
    """Whether a text with a unit is the number up to half of its last digit, and its digits are neither too few nor too many."""
    found = re.fullmatch(r"([\d\u202f]+)(?:\.(\d+))?(?: (\S+))?", text)
    if not found:
        return False
    whole, part, unit = found[1].replace("\u202f", ""), found[2] or "", found[3] or ""
    value, last = float(f"{whole}.{part}0"), 10.0 ** -len(part)
    readable = unit in ("", "s", "B", "%") or 1 <= value <= 1000
    return unit in FACTORS and readable and abs(value * FACTORS[unit] - exact) <= 0.5000001 * last * FACTORS[unit]


def result_has_units(page):
    rows = page.js("""return [...document.querySelectorAll('#result tbody tr')].flatMap((r) => [...r.children].slice(1).map((c) =>
        [r.dataset.name, c.textContent.split('  (')[0], c.dataset.value]))""")
    check(len(rows) > 12 and all(shows(text, float(value)) for _, text, value in rows if value), f"results with their units: {rows}")
    return {name: text for name, text, _ in rows}


def numbers_have_units(browser, folder, run):
    """Numbers of all sizes: a result whose numbers are scaled."""
    result_has_units(Page(browser, f"{folder}/one.html"))
    seen = set()
    for power in range(-9, 10, 2):
        with open(f"{run}/result.json") as file:
            result = json.load(file)
        for names in (["makespan_s"], ["gflops"], ["bytes_sent"], ["bounds", "abe_s"], ["bounds", "critical_path_s"], ["transfers", "h2d_bytes"]):
            of = result
            for name in names[:-1]:
                of = of[name]
            value = (of[names[-1]] or 7.3e6) * 1.0371 * 10.0 ** power
            of[names[-1]] = round(value) if names[-1].endswith(("sent", "bytes")) else value
        os.makedirs(f"{folder}/scaled{power}", exist_ok=True)
        with open(f"{folder}/scaled{power}/result.json", "w") as file:
            json.dump(result, file)
        factosim("report", f"{folder}/scaled{power}", "-o", f"{folder}/scaled.html", "--force")
        for text in result_has_units(Page(browser, f"{folder}/scaled.html")).values():
            seen.add(text.split(" ")[-1])
    check({"ns", "µs", "ms", "s", "MB", "GB", "TB", "PB", "EB", "Flop/s", "kFlop/s", "MFlop/s", "GFlop/s", "TFlop/s", "PFlop/s", "EFlop/s"} <= seen, f"units that were seen: {seen}")


def axes_have_units(page):
    """The axes of levels are in a unit in which their values are neither tiny nor huge, and curves are in it."""
    panels = page.js("""return factosim.plots.filter(({panel}) => panel.panel).map(({id, panel}) => { const p = panel;
        return [id, p.panel.unit, p.panel.scale, p.unit, p.most, p.plot.plot.axes[1].label ?? null, p.curves[0].heat ?? false,
          p.curves.map((c) => c.color), Math.max(...p.curves.map((c) => c.values.reduce((a, b) => Math.max(a, b), 0))),
          [...new Set(p.data.rows.map((r) => r.level))].map((l) => [p.run.levels[l].rows, p.run.intervals, [...p.run.levels[l].values]])] })""")
    check(len(panels) >= 4, "there are panels of levels")
    for name, unit, scale, shown, most, label, heat, colors, largest, levels in panels:
        rows = [max(values[r * count:(r + 1) * count]) for number, count, values in levels for r in range(number)]
        sums = [max(sum(values[r * count + i] for r in range(number)) for i in range(count)) for number, count, values in levels]
        factor = 1 if unit == shown else FACTORS[unit] / FACTORS[shown]
        check(any(abs(max(of) * scale * factor - largest) <= 1e-5 * largest for of in (rows, sums)), f"{name}: {largest} {shown} of {max(rows)}, {max(sums)}")
        check(most >= largest * 0.999999 and (shown == unit or most < 1000), f"{name}: {most} {shown}")
        check(heat or label == shown, f"{name}: the axis is in {shown}: {label}")
        check(heat or len(set(colors)) == len(colors), f"{name}: every curve has a colour of its own: {colors}")


def shades_have_a_scale(page, section):
    """A scale bar from 0 to the largest value, whose shades are those of the rows."""
    bars = page.js("""return [...document.querySelectorAll(`#${arguments[0]} .key`)].filter((k) => k.querySelector('.scale')).map((k) =>
        [k.innerText, [...k.querySelectorAll('.scale span')].map((s) => getComputedStyle(s).backgroundColor)])""", section)
    panel = page.js("const p = factosim.plots.find(({id}) => id === arguments[0]).panel; return [p.most, p.unit, p.curves.map((c) => c.color)]", section)
    check(len(bars) == len(set(panel[2])), f"{section}: a scale bar for each colour: {bars}")
    for text, cells in bars:
        most = re.search(r"([\d.\u202f]+) (\S+)$", text)
        check(" 0" in " " + text and most and most[2] == panel[1], f"{section}: from 0 to a value with its unit: {text}")
        check(abs(float(most[1].replace("\u202f", "")) - panel[0]) <= 0.006 * panel[0], f"{section}: to the largest value: {text}, {panel[0]}")
        opacity = [float(re.search(r"([\d.]+)\)$", cell)[1]) if cell.startswith("rgba") else 1 for cell in cells]
        check(opacity == sorted(opacity) and opacity[0] < 0.2 and opacity[-1] > 0.98, f"{section}: from light to dark: {opacity}")


def overview_is_the_run(page, table):
    """The strip: busy shares of the whole run; its window moves, is stretched, and shows the whole run after a double click."""
    strip = page.browser.find_element("css selector", ".overview")
    page.js("factosim.view.reset(); scrollTo(0, 0)")
    page.settle()
    end, workers, interval = page.js("const r = factosim.runs[0]; return [r.makespan_s, r.workers.length, r.interval_s]")
    heights = page.js("""const c = document.querySelector('.overview'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return [c.width, c.height, arguments[0].map((share) => { const x = Math.floor(share * c.width); let n = 0;
          for (let y = 2; y < c.height - 2; ++y) n += d[(y * c.width + x) * 4 + 3] > 127; return n; })]""", [(i + 0.5) / 40 for i in range(2, 38)])
    for i, height in enumerate(heights[2]):
        date = (int((i + 2.5) / 40 * heights[0]) + 0.5) / heights[0] * end
        t0 = int(date / interval) * interval
        busy = sum(max(0, min(t0 + interval, float(r["end_s"])) - max(t0, float(r["start_s"]))) for r in table) / interval / workers
        expected = min(heights[1] - 4, max(0, busy * (heights[1] - 1) - 2))
        check(abs(height - expected) <= 3, f"at {date} s the strip is {height} of {heights[1]} pixels high: {busy:.2f} busy")

    def drag(start, by):
        wide = strip.size["width"]
        ActionChains(page.browser).move_to_element_with_offset(strip, round((start - 0.5) * wide), 0).click_and_hold() \
            .move_by_offset(round(by * wide), 0).release().perform()
        page.settle()
        return [t / end for t in page.range()]

    page.js("const v = factosim.view; v.showTime(v.end * 0.4, v.end * 0.6)")
    page.settle()
    near = lambda a, b: all(abs(x - y) < 0.004 for x, y in zip(a, b))
    moved = drag(0.5, 0.2)
    check(near(moved, [0.6, 0.8]), f"dragging the window moves it: {moved}")
    stretched = drag(0.8, 0.1)
    check(near(stretched, [0.6, 0.9]), f"dragging its right end stretches it: {stretched}")
    stretched = drag(0.6, -0.3)
    check(near(stretched, [0.3, 0.9]), f"and its left end: {stretched}")
    jumped = drag(0.1, 0.3)
    check(near(jumped, [0.1, 0.7]), f"pressing elsewhere brings the window there: {jumped}")
    ActionChains(page.browser).double_click(strip).perform()
    page.settle()
    check(page.range() == [0, end], "a double click shows the whole run")


def runs_have_titles(browser, folder, first):
    """Runs without a name, a trace without its result, and runs with one name."""
    with open(first) as file:
        scenario = json.load(file)
    del scenario["name"]
    scenario["platform"] = ROOT + "/platforms/mirage.json"
    with open(f"{folder}/unnamed.json", "w") as file:
        json.dump(scenario, file)
    factosim("run", f"{folder}/unnamed.json", "--set", "/application/nt=7", "--set", "/outputs/trace=true", "--out", f"{folder}/unnamed")
    os.makedirs(f"{folder}/bare/deep", exist_ok=True)
    os.replace(f"{folder}/unnamed/run.trace", f"{folder}/bare/deep/run.trace")
    for source, parts in [("unnamed", ["lu", "7 x 7 tiles"]), ("bare/deep/run.trace", ["deep"])]:
        factosim("report", f"{folder}/{source}", "-o", f"{folder}/titled.html", "--force")
        page = Page(browser, f"{folder}/titled.html")
        title, heading = page.js("return [document.title, document.querySelector('h1').textContent]")
        check(title == heading and all(part in title for part in parts), f"the title of {source}: {title}, {heading}")
        check(folder not in title and 3 < len(title) < 80, f"and not its whole path: {title}")
    factosim("report", f"{folder}/a", f"{folder}/unnamed", f"{folder}/a", "-o", f"{folder}/titled.html", "--force")
    page = Page(browser, f"{folder}/titled.html")
    names = page.js("return [...document.querySelectorAll('#bounds h3')].map((h) => h.textContent)")
    check(len(names) == 3 and names[0] != names[1] and len(set(n[:1] for n in names)) == 3, f"runs beside each other have letters and names: {names}")


def rows_are_vectors(page, table):
    """Workers as SVG: a rectangle for each task, at its dates."""
    page.show("workers")
    svg = page.js("return factosim.files.get('workers').svg()")
    check("<image" not in svg, "rows of few tasks are vectors")
    kernels = {k["name"]: k["color"] for k in page.js("return factosim.runs[0].kernels")}
    end, left, width = page.js("const r = factosim.runs[0], p = factosim.plots.find(({id}) => id === 'workers').panel.plot.plot; return [r.makespan_s, p.bbox.left, p.bbox.width]")
    paths = {}
    for path in xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"):
        paths.setdefault(path.get("fill"), []).extend(re.findall(r"M([-\d.]+) ([-\d.]+)h([-\d.]+)v([-\d.]+)h", path.get("d")))
    for name, color in kernels.items():
        drawn = sorted((float(x), float(w)) for x, _, w, _ in paths.get(color, []))
        exact = sorted((left + width * float(r["start_s"]) / end, width * (float(r["end_s"]) - float(r["start_s"])) / end) for r in table if r["task"] == name)
        check(len(drawn) == len(exact) and all(abs(a - c) < 0.02 and abs(b - d) < 0.03 for (a, b), (c, d) in zip(drawn, exact)),
              f"{name}: {len(drawn)} rectangles, {len(exact)} tasks")


def many_rows_are_a_picture(browser, folder):
    """More rectangles than the stated number: a bitmap, which the file says; a part with fewer is vectors again."""
    factosim("run", ROOT + "/scenarios/lu_icpads20/fig13_growing_matrix.json", "--set", "/application/nt=54", "--set", "/outputs/trace=true",
             "--out", f"{folder}/many")
    factosim("report", f"{folder}/many", "-o", f"{folder}/many.html")
    page = Page(browser, f"{folder}/many.html")
    page.show("workers")
    check(page.js("return factosim.runs[0].tasks.count") > 50000, "more than 50 000 tasks")
    svg = page.js("return factosim.files.get('workers').svg()")
    check("<image" in svg and re.search("<desc>.*50000 rectangles", svg), "rows of very many tasks are a bitmap, which the file says")
    page.js("const v = factosim.view; v.showTime(v.end * 0.5, v.end * 0.6)")
    page.settle()
    svg = page.js("return factosim.files.get('workers').svg()")
    check("<image" not in svg and "<desc>" not in svg and len(svg) < 5e6, "a part of the time with fewer of them is vectors")
    page.no_errors()


def sums_are_kept(page):
    """Selecting a task sums nothing over the tasks again; zooming does."""
    page.js("""const s = factosim.runs[0].statistics, kernels = s.kernels; window.summed = 0;
        s.kernels = function (...a) { ++window.summed; return kernels.apply(this, a); }""")
    page.js("factosim.view.set('task', {run: factosim.runs[0], index: 7})")
    page.settle()
    check(page.js("return window.summed") == 0, "selecting a task sums nothing")
    page.key("+")
    import time
    time.sleep(0.4)
    page.settle()
    check(page.js("return window.summed") > 0, "zooming does")
    page.js("delete factosim.runs[0].statistics.kernels; factosim.clear()")
    page.key("0")


def runs_of_different_machines(browser, folder):
    """A run on one node beside one on 22: one unit and one scale in both; nodes that only one has can be selected."""
    factosim("report", f"{folder}/a", f"{folder}/n", "-o", f"{folder}/different.html")
    page = Page(browser, f"{folder}/different.html")
    axes_have_units(page)
    for section in ["gflops", "ready"]:
        scales = page.js("""return factosim.plots.filter(({id}) => id === arguments[0]).map(({panel}) => [panel.unit, panel.most,
            panel.plot.plot.scales.y.max])""", section)
        check(len(scales) == 2 and scales[0] == scales[1], f"{section} of both runs has one scale: {scales}")
    for _ in range(4):
        page.key("n")
    check(page.js("return factosim.view.node") == 3, "a node that one run lacks")
    page.no_errors()
