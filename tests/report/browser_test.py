#!/usr/bin/python3
"""Reports in a real browser: Debian's Chromium without a screen, driven by Selenium.

  tests/report/browser_test.py FACTOSIM            what CTest runs: small runs, a comparison, a hostile name, a sweep
  tests/report/browser_test.py FACTOSIM --large    LU of 150 x 150 tiles on 46 nodes: size, time to open, frames
"""

import json
import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import open_page  # says when it skips
import numpy
from open_page import HOSTILE, ROOT, ActionChains, Page, check, factosim, start_browser
from selenium.webdriver.common.keys import Keys
from run_view import (accessible, colors_are_apart, files_are_whole, link_shows_the_same, on_a_phone, ranges_are_summed, rows_of_gpus,
                      runs_align_at_an_iteration, search_finds, ticks_are_round, tooltip_follows)
from page_order import answer_comes_first, difference_comes_first, every_row_has_labels, help_covers_nothing
from page_details import (axes_have_units, many_rows_are_a_picture, numbers_have_units, overview_is_the_run, rows_are_vectors,
                          runs_have_titles, runs_of_different_machines, shades_have_a_scale, sums_are_kept)
from sweep_page import sweep

FIRST = ROOT + "/scenarios/first/lu_mirage.json"
LILLE = ROOT + "/scenarios/lille/block_cyclic_2x11.json"


def numbers_are_those_of(page, folder, column=0):
    with open(folder + "/result.json") as file:
        result = json.load(file)
    expected = {
        "makespan": result["makespan_s"], "rate of computation": result["gflops"], "tasks": result["tasks"],
        "utilization": result["utilization"], "area bound": result["bounds"]["abe_s"],
        "critical path": result["bounds"]["critical_path_s"], "data sent": result["tiles_sent"],
        "bytes sent": result["bytes_sent"], "RAM to GPU": result["transfers"]["h2d_bytes"],
        "GPU to RAM": result["transfers"]["d2h_bytes"], "GPU to GPU": result["transfers"]["d2d_bytes"],
    }
    for name, value in expected.items():
        shown = page.js("""return document.querySelector(`#result tr[data-name="${arguments[0]}"]`)
                           .children[arguments[1] + 1].dataset.value""", name, column)
        check(shown is not None and float(shown) == value, f"{name}: {shown} on the page, {value} in result.json")


def tasks_of(run):
    """Returns the tasks of a run's run.trace."""
    with open(run + "/run.trace", "rb") as file:
        header = json.loads(file.readline())
        columns = {c["name"]: numpy.fromfile(file, c["type"], c["count"]).tolist() for c in header["columns"]}
    begin = columns["task.predecessor_begin"]
    return [{"task": header["kernels"][kernel]["name"], "worker": header["workers"][columns["task.worker"][t]]["name"],
             "start_s": columns["task.start_s"][t], "end_s": columns["task.end_s"][t],
             "depends_on": [p + 1 for p in columns["predecessor.task"][begin[t]:begin[t + 1]]]}
            for t, kernel in enumerate(columns["task.kernel"])]


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
    present = {"result", "bounds", "lost", "range", "iterations", "workers", "states", "nodes", "ready", "submitted", "gflops", "memory",
               "bus", "tables", "provenance"}
    check(set(page.sections()) == present, f"panels of a run on one node: {page.sections()}")
    numbers_are_those_of(page, run)
    answer_comes_first(page, run, tasks_of(run))
    help_covers_nothing(page)

    kernels = {k["name"]: k["color"] for k in page.js("return factosim.runs[0].kernels")}
    check(set(kernels) == {"getrf", "trsm_ll", "trsm_ru", "gemm"}, f"kernels {kernels}")
    for section in ["workers", "iterations", "nodes"]:
        seen = page.colors(section)
        for name, color in kernels.items():
            check(seen.get(color, 0) >= 100, f"{name} ({color}) is seen in {section}")
    for section in ["states", "ready", "gflops", "memory", "bus"]:
        check(len(page.colors(section)) > 12, f"something is drawn in {section}")

    # Hover: what the box says of a task is what the exported table says.
    page.show("workers")
    table = tasks_of(run)
    for task in [40, len(table) // 2, len(table) - 1]:
        text = point_at(page, task)
        row = table[task]
        check(text is not None and text.startswith(row["task"] + "("), f"the box names {row['task']}: {text}")
        for word in ["k, m, n", "node", "worker", "start", "duration", "waited for", "depends on"]:
            check(word in text, f"the box tells {word}: {text}")
        check(row["worker"] in text.lower(), f"the box names the worker {row['worker']}: {text}")
        start, end = page.js("""const t = factosim.runs[0].tasks, i = arguments[0];
                                return [t.start[i] * t.tick_s, (t.start[i] + t.duration[i]) * t.tick_s]""", task)
        check(abs(start - row["start_s"]) < 3e-9 and abs(end - row["end_s"]) < 3e-9, "dates are those of the run")
        before = page.js("""const t = factosim.runs[0].tasks, i = arguments[0], out = [];
            for (let p = t.predecessorBegin[i]; p < t.predecessorBegin[i + 1]; ++p) out.push(i - t.predecessor[p] + 1);
            return out""", task)
        check(sorted(before) == sorted(row["depends_on"]), "predecessors are those of the run")

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
    ticks_are_round(page)
    tooltip_follows(page, ["+", "+", Keys.ARROW_RIGHT, "t", "t", "i", "0"])
    ranges_are_summed(page, table)
    colors_are_apart(page)
    search_finds(page, table)
    axes_have_units(page)
    overview_is_the_run(page, table)
    rows_are_vectors(page, table)
    sums_are_kept(page)
    page.no_errors()
    page = link_shows_the_same(page, f"{folder}/one.html")
    accessible(page, "a run")
    files_are_whole(page, folder, table)


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
    page.show("states")
    scales = page.scales()
    check(len(scales) >= 2 and all(abs(a - t0) < 1e-9 and abs(b - t1) < 1e-9 for a, b in scales), "all panels zoom together")
    page.show("workers")
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
    for section in ["workers", "states", "iterations", "nodes", "ready", "bounds", "lost"]:
        check(page.js("return document.querySelectorAll(`#${arguments[0]} .run`).length", section) == 2, f"both runs are in {section}")
    for column, run in enumerate(runs):
        numbers_are_those_of(page, run, column)
    difference_comes_first(page, runs)
    page.show("workers")
    scales = page.scales()
    check(len(scales) >= 2 and all(s == scales[0] for s in scales), "the runs are aligned")
    longest = max(json.load(open(run + "/result.json"))["makespan_s"] for run in runs)
    check(abs(scales[0][1] - longest) < 1e-9, "on the time axis of the longer one")
    runs_align_at_an_iteration(page)
    page.key("l")
    boxes = page.js("return [...document.querySelectorAll('#workers .run')].map((r) => r.getBoundingClientRect().top)")
    check(boxes[0] == boxes[1], "l puts them beside each other")
    page.no_errors()


def several_nodes(browser, folder, run):
    page = Page(browser, f"{folder}/nodes.html")
    check({"network", "messages", "map"} <= set(page.sections()), "several nodes have a network and a distribution")
    check(len(page.colors("map")) > 12, "the owners of the tiles are seen")
    axes_have_units(page)
    for section in ["memory", "network"]:
        shades_have_a_scale(page, section)
    numbers_are_those_of(page, run)
    rows_of_gpus(page)
    every_row_has_labels(page)
    tooltip_follows(page, ["n", "n", "+", "N", "0"])
    accessible(page, "a run on several nodes")
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
                numbers_have_units(browser, folder, f"{folder}/a")
                runs_have_titles(browser, folder, FIRST)
                runs_of_different_machines(browser, folder)
                many_rows_are_a_picture(browser, folder)
                on_a_phone(browser, f"{folder}/nodes.html")
                sweep(browser, folder)
        finally:
            browser.quit()
    print(f"{open_page.checks} checks passed")


main()
