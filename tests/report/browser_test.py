#!/usr/bin/python3
"""Reports in a real browser: Debian's Chromium without a screen, driven by Selenium.

  tests/report/browser_test.py FACTOSIM            what CTest runs: small runs, a comparison, a hostile name, a sweep
  tests/report/browser_test.py FACTOSIM --large    LU of 150 x 150 tiles on 46 nodes: size, time to open, frames
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time

try:
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (packages python3-selenium, python3-pil)")
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST = ROOT + "/scenarios/first/lu_mirage.json"
LILLE = ROOT + "/scenarios/lille/block_cyclic_2x11.json"
HOSTILE = "</script><script>window.hacked=1</script>\"'<img src=x onerror=window.hacked=2>&amp; " + "漢字🙂ñ" * 60
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def factosim(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"factosim {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def start_browser():
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1400,900", "--force-device-scale-factor=1"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Page:
    """A report that is open."""

    def __init__(self, browser, file, patience=60):
        self.browser = browser
        browser.get("file://" + file)
        end = time.time() + patience
        while self.js("return document.documentElement.dataset.state") != "ready":
            if time.time() > end:
                raise SystemExit(f"FAILED: {file} opens: {browser.get_log('browser')}")
            time.sleep(0.02)
        self.settle()

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def settle(self):
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))")

    def key(self, keys):
        ActionChains(self.browser).send_keys(keys).perform()
        self.settle()

    def range(self):
        return self.js("return [factosim.view.t0, factosim.view.t1]")

    def scales(self):
        """What every panel on the time axis that is in sight shows."""
        return self.js("""return factosim.plots.map(({panel}) => panel.plot).filter((p) => p && p.visible)
                          .map((p) => [p.plot.scales.x.min, p.plot.scales.x.max])""")

    def show(self, section):
        self.js("const s = document.getElementById(arguments[0]); scrollTo(0, s.offsetTop - 110)", section)
        time.sleep(0.1)
        self.settle()

    def sections(self):
        return self.js("return [...document.querySelectorAll('main > section')].filter((s) => !s.hidden).map((s) => s.id)")

    def no_errors(self):
        severe = [entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        check(not severe, f"no errors on the console: {severe}")
        check(self.js("return performance.getEntriesByType('resource').length") == 0, "nothing was loaded from elsewhere")

    def colors(self, section):
        """How many pixels of the screen have each colour, within a section."""
        self.show(section)
        box = self.js("const r = document.getElementById(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom]",
                      section)
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        box = [max(0, int(box[0])), max(0, int(box[1])), min(picture.width, int(box[2])), min(picture.height, int(box[3]))]
        return {"#%02x%02x%02x" % color: count for count, color in picture.crop(box).getcolors(1 << 24)}


def numbers_are_those_of(page, folder, column=0):
    with open(folder + "/result.json") as file:
        result = json.load(file)
    expected = {
        "makespan": result["makespan_s"], "GFlop/s": result["gflops"], "tasks": result["tasks"],
        "utilization": result["utilization"], "area bound": result["bounds"]["abe_s"],
        "critical path": result["bounds"]["critical_path_s"], "tiles sent": result["tiles_sent"],
        "bytes sent": result["bytes_sent"], "RAM to GPU": result["transfers"]["h2d_bytes"],
        "GPU to RAM": result["transfers"]["d2h_bytes"], "GPU to GPU": result["transfers"]["d2d_bytes"],
    }
    for name, value in expected.items():
        shown = page.js("""return document.querySelector(`#result tr[data-name="${arguments[0]}"]`)
                           .children[arguments[1] + 1].dataset.value""", name, column)
        check(shown is not None and float(shown) == value, f"{name}: {shown} on the page, {value} in result.json")


def point_at(page, task, click=False):
    """Moves the mouse onto a task of the first run and returns what the box beside it says."""
    place = page.js("""const {panel, run} = factosim.plots.find(({id}) => id === "workers"), t = arguments[0], tasks = run.tasks;
        const plot = panel.plot.plot, band = panel.band(plot, run.rows.rowOf[tasks.worker[t]]);
        const middle = (tasks.start[t] + tasks.duration[t] / 2) * tasks.tick_s;
        return [plot.valToPos(middle, "x"), (band.top + band.height / 2 - plot.bbox.top) / devicePixelRatio,
                plot.over.clientWidth, plot.over.clientHeight]""", task)
    over = page.js("return factosim.plots.find(({id}) => id === 'workers').panel.plot.plot.over")
    actions = ActionChains(page.browser).move_to_element_with_offset(over, round(place[0] - place[2] / 2), round(place[1] - place[3] / 2))
    if click:
        actions.click()
    actions.perform()
    page.settle()
    return page.js("const h = document.querySelector('.hover'); return h.hidden ? null : h.innerText")


def small_run(browser, folder, run):
    page = Page(browser, f"{folder}/one.html")
    present = {"result", "bounds", "lost", "iterations", "workers", "states", "nodes", "ready", "submitted", "gflops", "memory",
               "bus", "map", "tables", "provenance"}
    check(set(page.sections()) == present, f"panels of a run on one node: {page.sections()}")
    numbers_are_those_of(page, run)

    kernels = {k["name"]: k["color"] for k in page.js("return factosim.runs[0].kernels")}
    check(set(kernels) == {"getrf", "trsm_ll", "trsm_ru", "gemm"}, f"kernels {kernels}")
    for section in ["workers", "iterations", "nodes"]:
        seen = page.colors(section)
        for name, color in kernels.items():
            check(seen.get(color, 0) >= 100, f"{name} ({color}) is seen in {section}")
    for section in ["states", "ready", "gflops", "memory", "bus", "map"]:
        check(len(page.colors(section)) > 12, f"something is drawn in {section}")

    # Hover: what the box says of a task is what the exported table says.
    page.show("workers")
    table = list(csv.DictReader(factosim("export", run, "--format", "csv", "-o", f"{folder}/tasks.csv", "--force") and open(f"{folder}/tasks.csv")))
    for task in [40, len(table) // 2, len(table) - 1]:
        text = point_at(page, task)
        row = table[task]
        check(text is not None and text.startswith(row["task"] + "("), f"the box names {row['task']}: {text}")
        for word in ["k, m, n", "node", "worker", "start", "duration", "waited for", "depends on"]:
            check(word in text, f"the box tells {word}: {text}")
        check(row["worker"].split("_")[-1].lower() in text.lower(), f"the box names the worker {row['worker']}: {text}")
        start, end = page.js("""const t = factosim.runs[0].tasks, i = arguments[0];
                                return [t.start[i] * t.tick_s, (t.start[i] + t.duration[i]) * t.tick_s]""", task)
        check(abs(start - float(row["start_s"])) < 3e-9 and abs(end - float(row["end_s"])) < 3e-9, "dates are those of the run")
        before = page.js("""const t = factosim.runs[0].tasks, i = arguments[0], out = [];
            for (let p = t.predecessorBegin[i]; p < t.predecessorBegin[i + 1]; ++p) out.push(i - t.predecessor[p] + 1);
            return out""", task)
        check(sorted(before) == sorted(int(i) for i in row["depends_on"].split()), "predecessors are those of the run")

    # Selection.
    point_at(page, len(table) // 2, click=True)
    check(page.js("return factosim.view.task?.index") == len(table) // 2, "a click selects a task")
    check(page.js("return document.querySelector('.taskbox').innerText").startswith(table[len(table) // 2]["task"]), "and tells it")
    page.key("c")
    check(page.js("return document.getElementById('chain').getAttribute('aria-pressed')") == "true", "c highlights the chain")
    page.key("i")
    check(page.js("return factosim.view.iteration") == 0, "i selects an iteration")
    dimmed = page.colors("workers")
    check(dimmed.get(kernels["gemm"], 0) < seen_before(page, kernels, "gemm"), "others are dimmed")
    page.key(Keys.ESCAPE)
    check(page.js("const v = factosim.view; return [v.task, v.iteration, v.node, v.chain]") == [None, None, None, False], "Esc clears")

    zooming(page)
    themes_and_panels(page)
    page.no_errors()


def seen_before(page, kernels, name):
    page.key(Keys.ESCAPE)
    return page.colors("workers").get(kernels[name], 0)


def zooming(page):
    page.show("workers")
    whole = page.range()
    over = page.js("return factosim.plots.find(({id}) => id === 'workers').panel.plot.plot.over")
    ActionChains(page.browser).move_to_element_with_offset(over, -200, 10).click_and_hold().move_by_offset(150, 0).release().perform()
    page.settle()
    t0, t1 = page.range()
    width = page.js("return arguments[0].clientWidth", over)
    check(abs((t1 - t0) / (whole[1] - whole[0]) - 150 / width) < 0.02, f"dragging zooms to what was dragged over: {t0} {t1}")
    scales = page.scales()
    check(len(scales) >= 2 and all(abs(a - t0) < 1e-9 and abs(b - t1) < 1e-9 for a, b in scales), "all panels zoom together")
    page.key(Keys.ARROW_RIGHT)
    moved = page.range()
    check(moved[0] > t0 and abs((moved[1] - moved[0]) - (t1 - t0)) < 1e-9, "an arrow moves in time")
    page.js("""arguments[0].dispatchEvent(new WheelEvent("wheel", {deltaY: -200, ctrlKey: true, clientX: 700, clientY: 400, cancelable: true}))""", over)
    page.settle()
    check(page.range()[1] - page.range()[0] < 0.7 * (t1 - t0), "Ctrl and the wheel zoom")
    page.key("0")
    check(page.range() == whole, "0 shows the whole run")


def themes_and_panels(page):
    before = page.js("return getComputedStyle(document.body).backgroundColor")
    page.key("t")
    check(page.js("return getComputedStyle(document.body).backgroundColor") != before, "t changes light and dark")
    kernels = page.js("return factosim.runs[0].kernels")
    dark = page.colors("workers")
    check(all(dark.get(k["color"], 0) > 100 for k in kernels), "kernels keep their colours")
    page.key("t")
    page.js("document.querySelector('[data-panel=states]').click()")
    check("states" not in page.sections(), "a panel can be hidden")
    page.js("document.querySelector('[data-panel=states]').click()")
    check("states" in page.sections(), "and shown")


def comparison(browser, folder, runs):
    page = Page(browser, f"{folder}/two.html")
    for section in ["workers", "states", "iterations", "nodes", "ready", "bounds", "lost", "map"]:
        check(page.js("return document.querySelectorAll(`#${arguments[0]} .run`).length", section) == 2, f"both runs are in {section}")
    for column, run in enumerate(runs):
        numbers_are_those_of(page, run, column)
    page.show("workers")
    scales = page.scales()
    check(len(scales) >= 2 and all(s == scales[0] for s in scales), "the runs are aligned")
    longest = max(json.load(open(run + "/result.json"))["makespan_s"] for run in runs)
    check(abs(scales[0][1] - longest) < 1e-9, "on the time axis of the longer one")
    page.key("l")
    boxes = page.js("return [...document.querySelectorAll('#workers .run')].map((r) => r.getBoundingClientRect().top)")
    check(boxes[0] == boxes[1], "l puts them beside each other")
    page.no_errors()


def several_nodes(browser, folder, run):
    page = Page(browser, f"{folder}/nodes.html")
    check({"network", "messages"} <= set(page.sections()), "several nodes have a network")
    numbers_are_those_of(page, run)
    page.key("n")
    check(page.js("return factosim.view.node") == 0, "n selects a node")
    rows = page.js("const p = factosim.plots.find(({id}) => id === 'workers').panel; const r = p.rows(); return r.last - r.first")
    workers = json.load(open(run + "/result.json"))["nodes"][0]["workers"]
    check(rows == workers, f"the workers of that node are left: {rows} of {workers}")
    busy = page.js("""const r = factosim.runs[0], l = r.levels.running_tasks; let s = 0;
                      for (const v of l.values) s += v * r.interval_s; return s""")
    exact = sum(n["busy_s"] for n in json.load(open(run + "/result.json"))["nodes"])
    check(abs(busy / exact - 1) < 1e-4, f"running tasks add up to the busy time: {busy}, {exact}")
    page.no_errors()


def hostile_name(browser, folder):
    page = Page(browser, f"{folder}/hostile.html")
    check(page.js("return window.hacked") is None, "a name is not run")
    check(page.js("return document.querySelector('h1').textContent") == HOSTILE, "it is shown as it is")
    check(page.js("return document.title") == HOSTILE, "in the title too")
    check(page.js("return document.querySelectorAll('img').length") == 0, "and makes no elements")
    check(page.js("return document.documentElement.scrollWidth <= innerWidth"), "and does not widen the page")
    page.no_errors()

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
                expected.setdefault((f"application/nt {row['application/nt']}", row["distribution"], row["nodes"]), []).append(of(row))
        shown = curves_of(page, metric)
        check(set(shown) == set(expected) and len(shown) == 20, f"{metric}: a point for each combination: {len(shown)}, {len(expected)}")
        for key, values in expected.items():
            check(all(abs(a - b) <= 1e-6 * abs(b) for a, b in zip(shown[key], student(values))), f"{metric} at {key}: mean and interval")
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
    for word in [HOSTILE + ", Tiles sent: ", "application/nt\n8", "platform/nodes\n6 chetemi", "replicas\n3", "95 % confidence", "median, quartiles", "estimates"]:
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
    page.no_errors()
    page = points_tell_themselves(page, rows, folder)
    table_sorts_and_filters(page, rows)
    axes_can_be_chosen(page, rows)
    page.no_errors()


def large(browser, folder):
    run, page_file = f"{folder}/n150", f"{folder}/n150.html"
    factosim("run", ROOT + "/scenarios/lu_icpads20/fig13_growing_matrix.json", "--set", "/application/nt=150", "--set",
             "/outputs/trace=true", "--out", run)
    begin = time.time()
    factosim("report", run, "-o", page_file)
    print(f"report written in {time.time() - begin:.1f} s, {os.path.getsize(page_file) / 1e6:.1f} MB")
    check(os.path.getsize(page_file) < 30e6, "below 30 MB")
    page = Page(browser, page_file, 120)
    drawn, ready = page.js("return performance.getEntriesByType('mark').map((m) => m.startTime)")
    print(f"panels drawn {drawn / 1000:.2f} s after navigation, every task there after {ready / 1000:.2f} s")
    check(drawn < 3000, "opens in less than 3 s")
    numbers_are_those_of(page, run)
    page.show("workers")
    for what, script in [("zoom in by 10 % a frame", "v.zoom(0.9, 30)"), ("pan by 2 % a frame", "v.pan(0.02)"),
                         ("zoom out by 10 % a frame", "v.zoom(1 / 0.9, 30)")]:
        frames = page.browser.execute_async_script(f"""const done = arguments[0], v = factosim.view, times = []; let left = 40, last = performance.now();
            const step = () => {{ const now = performance.now(); times.push(now - last); last = now;
              if (--left < 0) return done(times.slice(1)); {script}; requestAnimationFrame(step); }}; requestAnimationFrame(step)""")
        frames.sort()
        print(f"{what}: median {frames[len(frames) // 2]:.0f} ms a frame, 95 % below {frames[int(len(frames) * 0.95)]:.0f} ms")
    page.key("0")
    text = point_at(page, 500000)
    check(text and "duration" in text, "a task of a million can be pointed at")
    page.no_errors()


def main():
    browser_there = os.path.exists("/usr/bin/chromedriver") and os.path.exists("/usr/bin/chromium")
    if not browser_there:
        print("skipped: no Chromium (packages chromium and chromium-driver)")
        return
    with tempfile.TemporaryDirectory() as folder:
        browser = start_browser()
        try:
            if "--large" in sys.argv:
                large(browser, folder)
            else:
                small = ["--set", "/application/nt=10", "--set", "/outputs/paje=false", "--out"]
                factosim("run", FIRST, *small, f"{folder}/a")
                factosim("run", FIRST, "--set", "/scheduler/type=dmda", *small, f"{folder}/b")
                factosim("run", LILLE, *small, f"{folder}/n")
                with open(FIRST) as file:
                    scenario = json.load(file)
                scenario["name"] = HOSTILE
                scenario["platform"] = ROOT + "/platforms/mirage.json"
                with open(f"{folder}/hostile.json", "w") as file:
                    json.dump(scenario, file)
                factosim("run", f"{folder}/hostile.json", *small, f"{folder}/h")
                factosim("report", f"{folder}/a", "-o", f"{folder}/one.html")
                factosim("report", f"{folder}/a", f"{folder}/b", "-o", f"{folder}/two.html")
                factosim("report", f"{folder}/n", "-o", f"{folder}/nodes.html")
                factosim("report", f"{folder}/h", "-o", f"{folder}/hostile.html")
                small_run(browser, folder, f"{folder}/a")
                comparison(browser, folder, [f"{folder}/a", f"{folder}/b"])
                several_nodes(browser, folder, f"{folder}/n")
                hostile_name(browser, folder)
                sweep(browser, folder)
        finally:
            browser.quit()
    print(f"{checks} checks passed")


PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ROOT + "/build/release/factosim"
main()
