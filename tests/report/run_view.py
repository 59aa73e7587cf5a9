"""The view of a page of runs in a browser: ticks, tooltips, statistics of ranges, search, links, files, fingers. Part of browser_test.py."""

import base64
import csv
import decimal
import glob
import io
import json
import os
import random
import re
import time
import xml.etree.ElementTree

from open_page import ROOT, ActionChains, Page, check
from selenium.webdriver.common.keys import Keys

AXE = ROOT + "/simulator/report/page/web/node_modules/axe-core/axe.min.js"
UNITS = {"s": decimal.Decimal(1), "ms": decimal.Decimal("1e-3"), "µs": decimal.Decimal("1e-6")}


def panel(name, run=0):
    return f"factosim.plots.filter(({{id}}) => id === '{name}')[{run}].panel"


def ticks_are_round(page, seed=25):
    """200 random zooms: what is written below the axis is the date there, round in the unit, within the axis, and written once."""
    page.show("workers")
    page.js(f"""const plot = {panel("workers")}.plot.plot, fill = CanvasRenderingContext2D.prototype.fillText;
        window.labels = () => {{ const out = []; plot.ctx.fillText = (text, x, y) => {{ if (y > plot.bbox.top + plot.bbox.height)
          out.push([text, x, plot.ctx.measureText(text).width]); }};
          try {{ plot.batch(() => plot.redraw(false, true)); }} finally {{ plot.ctx.fillText = fill; delete plot.ctx.fillText; }}
          return [out, plot.scales.x.min, plot.scales.x.max, plot.bbox.left, plot.bbox.width, plot.ctx.canvas.width]; }}""")
    end, rng = page.js("return factosim.view.end"), random.Random(seed)
    for zoom in range(200):
        length = end * 10 ** rng.uniform(-6, 0)
        start = rng.uniform(0, end - length)
        page.js("factosim.view.showTime(arguments[0], arguments[0] + arguments[1]); factosim.view.notify()", start, length)
        labels, t0, t1, left, width, canvas = page.js("return labels()")
        case = f"zoom {zoom} from {t0!r} to {t1!r}: {[text for text, *_ in labels]}"
        check(len(labels) >= 2, f"there are ticks: {case}")
        unit = UNITS.get(labels[-1][0].split(" ")[-1])
        check(unit is not None, f"the last tick has the unit: {case}")
        values = [decimal.Decimal(re.sub(r"[\u202f]| .*", "", text)) for text, *_ in labels]
        check(len(set(values)) == len(values), f"no label twice: {case}")
        steps = {b - a for a, b in zip(values, values[1:])}
        check(len(steps) == 1 and steps.pop().normalize().as_tuple().digits in ((1,), (2,), (5,)), f"one step of 1, 2 or 5: {case}")
        for value, (text, x, wide) in zip(values, labels):
            date = float(value * unit)
            check(t0 - 1e-12 * end <= date <= t1 + 1e-12 * end, f"{text} is on the axis: {case}")
            check(abs(left + (date - t0) / (t1 - t0) * width - x) <= 1, f"{text} stands at its date: {case}")
            check(x - wide / 2 >= 0 and x + wide / 2 <= canvas, f"{text} is not cut off: {case}")
        spans = [(x - wide / 2, x + wide / 2) for _, x, wide in labels]
        check(all(a[1] < b[0] for a, b in zip(spans, spans[1:])), f"labels do not overlap: {case}")
    page.key("0")


def box(page):
    return page.js("const h = document.querySelector('.hover'); return h.hidden ? null : h.innerText")


def tooltip_follows(page, keys):
    """After every change of the view the box says what pointing there anew would say."""
    page.show("workers")
    over = page.js(f"return {panel('workers')}.plot.plot.over")
    ActionChains(page.browser).move_to_element_with_offset(over, 130, -8).perform()
    page.settle()
    before, changed = box(page), 0
    check(before is not None, "pointing at a row opens the box")
    for key in keys:
        page.key(key)
        text = box(page)
        page.js(f"const p = {panel('workers')}.plot; p.point(p.pointer ?? {{clientX: -9, clientY: -9}})")
        check(text == box(page), f"the box follows {key!r}: {text}, {box(page)}")
        changed += text != before
        before = text
    check(changed >= 2, "and changes")
    page.key("0"), page.key(Keys.ESCAPE)


def tasks_of(table):
    return [(row["worker"], row["task"], float(row["start_s"]), float(row["end_s"])) for row in table]


def ranges_are_summed(page, table):
    """Idle shares, kernels and tasks of random ranges against sums over the exported table."""
    tasks, rng = tasks_of(table), random.Random(3)
    end, workers = page.js("return [factosim.runs[0].makespan_s, factosim.runs[0].workers.length]")
    for _ in range(25):
        t0, t1 = sorted(rng.uniform(0, end) for _ in range(2))
        inside = [(kernel, min(t1, b) - max(t0, a)) for _, kernel, a, b in tasks if b > t0 and a < t1]
        idle, kernels = page.js("""const s = factosim.runs[0].statistics, n = factosim.runs[0].workers.length, span = {t0: arguments[0], t1: arguments[1]};
            return [s.idleShare(0, n, span), s.kernels(0, n, span).map((k) => [k.name, k.tasks, k.seconds])]""", t0, t1)
        exact = 1 - sum(seconds for _, seconds in inside) / (workers * (t1 - t0))
        check(abs(idle - exact) < 1e-6, f"idle share from {t0} to {t1}: {idle}, {exact}")
        for name, count, seconds in kernels:
            of = [s for kernel, s in inside if kernel == name]
            check(count == len(of) and abs(seconds - sum(of)) < 1e-6, f"{name} from {t0} to {t1}: {count}, {seconds}; {len(of)}, {sum(of)}")
    # A range that is dragged with Shift is what the panel and the labels tell; Esc gives back what is in sight.
    page.show("workers")
    over = page.js(f"return {panel('workers')}.plot.plot.over")
    ActionChains(page.browser).key_down(Keys.SHIFT).move_to_element_with_offset(over, -200, 10).click_and_hold().move_by_offset(220, 0).release() \
        .key_up(Keys.SHIFT).perform()
    page.settle()
    t0, t1 = page.js("const r = factosim.view.range; return [r.t0, r.t1]")
    check(page.range() == [0, end] and 0 < t0 < t1 < end, f"Shift and dragging selects a range and does not zoom: {page.range()}, {t0}, {t1}, {end}")
    rows = page.js("return [...document.querySelectorAll('#range table')[0].tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))")
    for name, count, *_ in rows:
        exact = sum(1 for _, kernel, a, b in tasks if kernel == name and b > t0 and a < t1)
        check(int(re.sub(r"\D", "", count)) == exact, f"{name}: {count} tasks in the range, {exact}")
    label = page.js(f"const p = {panel('workers')}; return p.rightLabels(p.plot.plot)[0].text")
    gpus = [task for task in tasks if task[0].startswith("cuda")]
    exact = 1 - sum(min(t1, b) - max(t0, a) for _, _, a, b in gpus if b > t0 and a < t1) / (3 * (t1 - t0))
    check(label == f"GPUs {100 * exact:.0f} % idle", f"the label tells the range: {label}, {exact}")
    lost = page.js("return [...document.querySelectorAll('#lost .stacktitle')].map((p) => p.textContent)")
    check(len(lost) == 3 and all(" from " in text for text in lost), f"where the time went is of the range: {lost}")
    total = page.js("""return [...document.querySelectorAll('#lost .stack')].map((s) => [...s.children].reduce((sum, p) => sum + parseFloat(p.style.width), 0))""")
    check(all(abs(t - 100) < 1e-3 for t in total), f"and adds up to it: {total}")
    page.key(Keys.ESCAPE)


def colors_are_apart(page):
    run = page.js("const r = factosim.runs[0]; return {kernels: r.kernels, states: r.states, parts: r.breakdowns.flatMap((b) => b.parts)}")
    kernels = {k["color"] for k in run["kernels"]}
    check(not kernels & {s["color"] for s in run["states"]}, "no state has the colour of a kernel")
    for part in run["parts"]:
        check((part["color"] in kernels) != part["wait"], f"{part['name']} is of one family")
    waits = {part["name"] for part in run["parts"] if part["wait"]} | {"other short waits"}
    hatched = page.js("""return [...document.querySelectorAll('#lost .key')].map((k) => [k.textContent.split('  ')[0],
        getComputedStyle(k.querySelector('.swatch')).backgroundImage !== 'none'])""")
    check(any(h for _, h in hatched) and all(h == any(name.startswith(w) for w in waits) for name, h in hatched), f"waits are hatched in legends: {hatched}")


def search_finds(page, table):
    def search(text):
        page.js("const s = document.getElementById('search'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))", text)
        page.settle()
        return page.js("return factosim.search.all.map(({index}) => index)")

    names = page.js("""const r = factosim.runs[0], t = r.tasks; return Array.from({length: t.count}, (_, i) => [r.kernels[t.kernel[i]].name, t.k[i], t.m[i], t.n[i]])""")
    some = next(i for i, name in enumerate(names) if name[0] == "gemm" and name[1:] == [1, 5, 7])
    for text in ["gemm(1, 5, 7)", "GEMM 1 5 7", "gemm k=1 m=5 n=7", f"#{some}"]:
        check(search(text) == [some], f"{text} is one task: {search(text)}, {some}")
    check(sorted(search("gemm k=3")) == [i for i, n in enumerate(names) if n[0] == "gemm" and n[1] == 3], "a kernel of an iteration")
    check(sorted(search("(*, 4, 6)")) == [i for i, n in enumerate(names) if n[2] == 4 and n[3] == 6], "any kernel on a tile")
    tile = [i for i, (_, k, m, n) in enumerate(names) if (k if m == 65535 else m, k if n == 65535 else n) == (4, 4)]
    check(sorted(search("tile 4 4")) == tile and len(tile) == 5, f"all tasks of a tile: {search('tile 4 4')}, {tile}")
    check(search("no such task") == [] and search("gemm(99, 99, 99)") == [], "what is not there is not found")
    search("gemm(1, 5, 7)")
    page.js("factosim.view.showTime(0, factosim.view.end * 1e-3)")
    page.js("document.getElementById('search').focus()")
    page.key(Keys.ENTER)
    task, t0, t1, start = page.js("const v = factosim.view, t = v.task.run.tasks; return [v.task.index, v.t0, v.t1, t.start[v.task.index] * t.tick_s]")
    check(task == some and t0 <= start <= t1, "Enter selects what was found and brings it into sight")
    # Arrows to what depends on it: the inverse of the table's dependencies.
    after = page.js("const t = factosim.runs[0].tasks; return t.successors?.of === arguments[0] ? t.successors.list : null", some)
    exact = [i for i, row in enumerate(table) if some + 1 in row["depends_on"]]
    check(after == exact, f"successors are those of the run: {after}, {exact}")
    page.key("0")
    page.show("workers")
    seen = page.colors("workers")
    for what in ["--warn", "--after"]:
        color = page.js("return getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim()", what)
        check(seen.get(color, 0) > 20, f"arrows of {what} {color} are seen")
    page.js("document.getElementById('search').value = ''; document.getElementById('search').blur()")
    page.key(Keys.ESCAPE)


def state_of(page):
    return page.js("""const v = factosim.view, p = factosim; return {t0: v.t0, t1: v.t1, range: v.range && [v.range.t0, v.range.t1], node: v.node, iteration: v.iteration,
        task: v.task && [p.runs.indexOf(v.task.run), v.task.index], chain: v.chain, find: p.search.text, alignment: p.alignment,
        hidden: [...p.sections].filter(([, s]) => s.section.hidden).map(([id]) => id)}""")


def link_shows_the_same(page, file):
    end = page.js("return factosim.view.end")
    page.js("""const v = factosim.view, e = v.end; v.showTime(e * 0.2, e * 0.7); v.set('range', {t0: e * 0.3, t1: e * 0.4}); v.set('iteration', 2);
        v.set('chain', true); v.set('task', {run: factosim.runs[0], index: 33}); factosim.search.text = 'gemm k=4'; factosim.toggle('states')""")
    time.sleep(0.5)
    page.settle()
    fragment, state = page.js("return location.hash"), state_of(page)
    check("t=" in fragment and "task=" in fragment, f"the view is in the address: {fragment}")
    other = Page(page.browser, file + "#" + "x=1")
    check(state_of(other)["t1"] == end, "an unknown fragment is ignored")
    again = Page(page.browser, file + fragment)
    near = lambda a, b: abs(a - b) <= 1e-11 * end if isinstance(a, float) else len(a) == len(b) and all(map(near, a, b)) if isinstance(a, list) and a \
        and isinstance(a[0], float) else a == b
    deadline = time.monotonic() + 10  # a loaded computer applies the fragment late
    while True:
        shown = state_of(again)
        same = shown.keys() == state.keys() and all(near(shown[key], state[key]) for key in state)
        if same or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    check(same, f"a link shows the same: {shown}, {state}")
    for hostile in ["#t=5,1&node=99&k=-3&task=0,1e9&align=zz", "#t=,&range=a,b&task=&hide=<img>"]:
        again.js("location.hash = arguments[0]", hostile)
        again.settle()
        check(again.range() == [0, end] and state_of(again)["task"] is None and state_of(again)["node"] is None, f"{hostile} does no harm")
    again.js("location.hash = ''")
    again.settle()
    again.no_errors()
    return again


def files_are_whole(page, folder, table):
    """Every panel as SVG and CSV; one of each saved by its button."""
    kernels = {k["name"]: k["color"] for k in page.js("return factosim.runs[0].kernels")}
    for section in page.js("return [...factosim.files.keys()]"):
        svg, text = page.js("const f = factosim.files.get(arguments[0]); return [f.svg(), f.csv()]", section)
        root = xml.etree.ElementTree.fromstring(svg)
        words = " ".join("".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text"))
        check("NaN" not in svg and "undefined" not in svg and len(words) > 8, f"{section} as SVG: {words[:80]}")
        rows = list(csv.reader(io.StringIO(text)))
        check(len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows if section not in ("tables",)), f"{section} as CSV: {rows[:2]}")
        if section == "workers":
            check([r[1] for r in rows[1:]].count("gemm") == sum(1 for r in table if r["task"] == "gemm") and len(rows) == len(table) + 1, "all tasks are in the CSV")
            check(all(word in words for word in ["cpu0", "% idle"]), f"labels of rows are text: {words}")
            with open(f"{folder}/workers.svg", "w") as file:
                file.write(svg)
        if section == "gflops":
            values = [float(r[1]) for r in rows[1:]]
            curve = page.js(f"return [...{panel('gflops')}.curves[0].values]")
            check(values == curve and "<path" in svg, "curves are paths and values")
    os.makedirs(f"{folder}/saved", exist_ok=True)
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": f"{folder}/saved"})
    for kind in [0, 1]:
        page.js("document.querySelectorAll('#workers .save')[arguments[0]].click()", kind)
    end = time.time() + 20
    while len(glob.glob(f"{folder}/saved/*.[sc][vs][gv]")) < 2 and time.time() < end:
        time.sleep(0.1)
    saved = sorted(os.path.splitext(f)[1] for f in os.listdir(f"{folder}/saved"))
    check(saved == [".csv", ".svg"], f"the buttons save files: {saved}")
    page.no_errors()
    page.browser.get(f"file://{folder}/workers.svg")
    time.sleep(0.3)
    from open_page import Image
    picture = Image.open(io.BytesIO(page.browser.get_screenshot_as_png())).convert("RGB")
    seen = {"#%02x%02x%02x" % color: count for count, color in picture.getcolors(1 << 18)}
    check(all(seen.get(color, 0) > 100 for color in kernels.values()), "the saved picture shows every kernel")


def runs_align_at_an_iteration(page):
    page.js("const s = document.getElementById('align'); s.value = '4'; s.dispatchEvent(new Event('change'))")
    page.settle()
    dates = page.js("""return factosim.runs.map((r, i) => { const p = factosim.plots.filter(({id}) => id === 'workers')[i].panel.plot.plot;
        return p.valToPos(r.iterations.find(([k]) => k === 4)[2], 'x'); })""")
    check(abs(dates[0] - dates[1]) < 0.01, f"iteration 4 begins to end at one place: {dates}")
    limits = page.js("const v = factosim.view; return [v.start, v.end, ...factosim.runs.map((r) => [-r.shift, r.makespan_s - r.shift]).flat()]")
    check(limits[0] == min(limits[2:]) and limits[1] == max(limits[2:]), "both runs are in sight")
    page.js("const s = document.getElementById('align'); s.value = 'start'; s.dispatchEvent(new Event('change'))")
    page.settle()


def on_a_phone(browser, file):
    """390 x 844 with fingers."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    try:
        page = Page(browser, file)
        wide, view, header = page.js("return [document.documentElement.scrollWidth, innerWidth, document.querySelector('header').offsetHeight]")
        check(wide <= view == 390, f"no scrolling sideways: {wide} of {view}")
        check(header <= 0.13 * 844, f"the header leaves room: {header}")
        cut = page.js("""const ctx = document.createElement('canvas').getContext('2d');
            return [...document.querySelectorAll('header select')].filter((s) => s.offsetParent).map((s) => { const style = getComputedStyle(s);
              ctx.font = style.font; return [s.selectedOptions[0].text, ctx.measureText(s.selectedOptions[0].text).width + 2 * parseFloat(style.paddingLeft) + 14,
                s.offsetWidth]; })""")
        check(len(cut) == 2 and all(need <= wide for _, need, wide in cut), f"no choice is cut: {cut}")
        check(page.js("const b = document.getElementById('theme').getBoundingClientRect(); return b.width > 20 && b.right <= innerWidth"), "there is the button for light and dark")
        broken = page.js("""return [...document.querySelectorAll('th, td')].filter((c) => c.offsetParent && c.offsetHeight > 120)
            .map((c) => c.textContent)""")
        check(not broken, f"no table is so narrow that words are broken: {broken}")
        page.show("workers")
        x, y, w, h = page.js(f"const r = {panel('workers')}.plot.plot.over.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
        page.key("+")
        before = page.range()

        def fingers(kind, *points):
            browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": y + h / 2, "id": i} for i, px in enumerate(points)]})

        fingers("touchStart", x + 0.7 * w)
        for step in range(1, 6):
            fingers("touchMove", x + (0.7 - 0.06 * step) * w)
        fingers("touchEnd")
        page.settle()
        moved = page.range()
        check(moved[0] > before[0] and abs((moved[1] - moved[0]) - (before[1] - before[0])) < 1e-9, f"a finger moves in time: {before}, {moved}")
        fingers("touchStart", x + 0.4 * w, x + 0.6 * w)
        for step in range(1, 6):
            fingers("touchMove", x + (0.4 - 0.05 * step) * w, x + (0.6 + 0.05 * step) * w)
        fingers("touchEnd")
        page.settle()
        now = page.range()
        check(now[1] - now[0] < 0.6 * (moved[1] - moved[0]), f"two fingers zoom: {moved}, {now}")
        page.no_errors()
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def accessible(page, what):
    """No violation of axe-core's rules in light and dark; every chart has a name and takes the focus."""
    unnamed = page.js("""return [...document.querySelectorAll('.timeplot, .chart, canvas.map')].filter((e) => !e.getAttribute('aria-label') || e.tabIndex !== 0)
        .map((e) => e.outerHTML.slice(0, 120))""")
    check(page.js("return document.querySelectorAll('.timeplot, .chart').length") > 0 and not unnamed, f"charts of {what} have names: {unnamed}")
    if not os.path.exists(AXE):
        print("axe-core is not there (npm ci in simulator/report/page/web): rules of accessibility not checked")
        return
    with open(AXE) as file:
        page.js(file.read() + "; window.axe = axe;")
    for theme in ["light", "dark"]:
        page.js("factosim.setTheme(arguments[0])", theme)
        page.settle()
        found = page.browser.execute_async_script("""const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((r) =>
            done(r.violations.map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])), (e) => done(String(e)))""")
        check(found == [], f"no violation in {what}, {theme}: {json.dumps(found, indent=1)}")
    page.js("factosim.setTheme('light')")


def rows_of_gpus(page):
    heights = page.js(f"""const p = {panel('workers')}, plot = p.plot.plot, r = factosim.runs[0];
        return r.rows.order.map((w, row) => [r.workers[w].gpu, p.band(plot, row).height])""")
    gpu, core = ({h for g, h in heights if g is kind} for kind in (True, False))
    check(gpu and core and min(gpu) > 2 * max(core), f"rows of GPUs are higher than those of many cores: {gpu}, {core}")
    hit = page.js(f"""const p = {panel('workers')}, plot = p.plot.plot, {{top, height}} = plot.bbox;
        return factosim.runs[0].rows.order.every((w, row) => {{ const b = p.band(plot, row); return p.rowAt((b.top + b.height / 2 - top) / height) === row; }})""")
    check(hit, "pointing finds every row")
