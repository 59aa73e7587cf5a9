"""What comes first on a page of runs, and what stays in sight: numbers, causes, idle shares by kind, labels, help. Part of browser_test.py."""

import json
import re

from open_page import check, factosim

LABELS = """const p = factosim.plots.find(({id}) => id === arguments[0]).panel.plot.plot, fill = CanvasRenderingContext2D.prototype.fillText, out = [];
    p.ctx.fillText = (text, x, y) => out.push([text, x, y]);
    try { p.batch(() => p.redraw(false, true)); } finally { delete p.ctx.fillText; }
    return [out, p.bbox.left, p.bbox.left + p.bbox.width, p.bbox.top, p.bbox.height]"""


def result_of(run):
    with open(run + "/result.json") as file:
        return json.load(file)


def percents(text):
    return [float(number) / 100 for number in re.findall(r"([\d.]+) %", text)]


def use_of(table, gpu, workers, end):
    """The busy share of the GPUs or of the cores, from the tasks of the trace."""
    return sum(row["end_s"] - row["start_s"] for row in table if row["worker"].startswith("cuda") == gpu) / (workers * end)


def answer_comes_first(page, run, table):
    """Four numbers, the diagnosis, the Gantt chart; the other numbers on request; GPUs apart from cores."""
    result, end = result_of(run), result_of(run)["makespan_s"]
    check(page.sections()[:2] == ["result", "workers"], f"the result, then the Gantt chart: {page.sections()}")
    tiles = page.js("return [...document.querySelectorAll('#result .numbers > div')].map((d) => [d.querySelector('dt').innerText, d.querySelector('dd').innerText])")
    check(len(tiles) == 4, f"four numbers: {tiles}")
    (_, makespan), (bound, efficiency), (other, gpus), (_, limit) = tiles
    check(abs(float(makespan.split()[0]) - end) < 5e-4 * end, f"the makespan: {makespan}, {end}")
    check(abs(percents(efficiency)[0] - result["bounds"]["problem_s"] / end) < 6e-4 and "bound of the problem" in bound, f"the efficiency: {tiles}")
    node = result["nodes"][0]
    exact = {True: use_of(table, True, node["gpu_workers"], end), False: use_of(table, False, node["workers"] - node["gpu_workers"], end)}
    check(abs(percents(gpus)[0] - exact[True]) < 6e-4 and abs(percents(other)[0] - exact[False]) < 6e-4, f"busy GPUs, cores: {tiles}, {exact}")
    check(limit.replace(" ", "-") == result["diagnosis"]["limit"], f"what limits: {limit}")
    order = page.js("return ['.numbers', '.diagnosis', '#result details', '#workers'].map((s) => document.querySelector(s).getBoundingClientRect().top)")
    check(order == sorted(order) and order[3] < 500, f"numbers, diagnosis, chart, on the first screen: {order}")
    check(page.js("return document.querySelector('.diagnosis').innerText") == result["diagnosis"]["text"], "the diagnosis of the result")
    check(page.js("const d = document.querySelector('#result details'); return !d.open && d.querySelector('table') !== null"), "the other numbers are folded")

    page.show("workers")
    texts = [text for text, x, _ in page.js(LABELS, "workers")[0] if text.endswith("idle")]
    check([text.split()[0] for text in texts] == ["GPUs", "cores"], f"idle shares by kind: {texts}")
    for text, gpu in zip(texts, (True, False)):
        check(abs(percents(text)[0] - (1 - exact[gpu])) < 6e-3, f"{text}, exactly {1 - exact[gpu]}")
    svg = page.js("return factosim.files.get('workers').svg()")
    check('stroke-dasharray="6 4"' in svg and 'stroke="#ffffff"' not in svg, "the area bound is dashed and has no rim that hides tasks")
    parts = page.js("""return [...document.querySelectorAll('#lost .stacktitle')].map((p) => [p.innerText,
        [...p.nextSibling.children].filter((piece) => !piece.matches('.wait')).reduce((sum, piece) => sum + parseFloat(piece.style.width), 0)])""")
    check([title for title, _ in parts[1:]] == ["What a GPU did on average", "What a core did on average"], f"where the time went, by kind: {parts}")
    for (title, share), gpu in zip(parts[1:], (True, False)):
        check(abs(share / 100 - exact[gpu]) < 1e-4, f"{title}: {share} % in tasks, exactly {exact[gpu]}")


def difference_comes_first(page, runs):
    """What differs, the causes as `compare` names them, then the Gantt charts."""
    check(page.sections()[:3] == ["difference", "workers", "result"], f"the difference, then the Gantt charts: {page.sections()}")
    title = page.js("return [document.title, document.querySelector('h1').innerText]")
    check(title == ["Scheduler: dmdas | dmda"] * 2, f"the title names what differs: {title}")
    boxes = page.js("return [...document.querySelectorAll('#workers h3')].map((h) => h.innerText)")
    check(boxes == ["Admdas", "Bdmda"], f"so do the boxes of the runs: {boxes}")
    told = json.loads(factosim("compare", *runs, "--json", "--no-simulation"))
    sentence, by = page.js("return document.querySelector('.diagnosis').innerText"), told["makespan"]
    check(told["causes"]["verdict"][0][1:] + "." in sentence, f"the main cause: {sentence}, {told['causes']['verdict']}")
    check(abs(percents(sentence)[0] - abs(by["relative"])) < 6e-4 and ("longer" in sentence) == (by["difference_s"] > 0), f"by how much: {sentence}")
    bars = page.js("return [...document.querySelectorAll('#difference .barrow')].map((b) => [b.children[0].innerText, b.children[2].innerText])")
    parts = sorted((p for p in told["causes"]["parts"] if abs(p["relative"]) >= 1e-3), key=lambda p: -abs(p["seconds"]))
    check([name for name, _ in bars] == [p["cause"] for p in parts] and bars, f"the causes, the largest first: {bars}")
    for (name, text), part in zip(bars, parts):
        check(text.startswith("+") == (part["seconds"] > 0) and abs(percents(text)[0] - abs(part["relative"])) < 6e-4, f"{name}: {text}, {part['relative']}")
    keys = page.js("return [...document.querySelectorAll('#difference tbody tr')].map((r) => [...r.cells].map((c) => c.innerText))")
    check(keys == [["/scheduler/type", "dmdas", "dmda"]], f"the keys that differ: {keys}")
    top = page.js("return document.querySelector('#workers').getBoundingClientRect().top")
    check(top < 500, f"the Gantt charts begin on the first screen: {top}")


def every_row_has_labels(page):
    """22 nodes: names and busy shares of the cores and of the GPUs of each, none left out, none upon another."""
    page.show("nodes")
    labels, left, right, top, height = page.js(LABELS, "nodes")
    rows = page.js("return factosim.runs[0].occupation.map((o) => [o.node, o.gpu, o.busy])")
    names, shares = [], []
    for text, x, y in labels:
        if top < y < top + height:
            (names if x < left else shares).append((y, text))
    check(len(names) == len(shares) == len(rows) > 22, f"a name and a share for each of {len(rows)} rows: {len(names)}, {len(shares)}")
    for (_, gpu, busy), (_, name), (_, share) in zip(rows, names, shares):
        check(("GPU" in name) == gpu and abs(percents(share)[0] - busy) < 6e-3, f"{name}: {share}, exactly {busy}")
    check(all(b[0] - a[0] >= 12 for a, b in zip(names, names[1:])), "no label upon another")
    page.show("workers")
    idle = [text for text, x, _ in page.js(LABELS, "workers")[0] if x > right]
    check(len(idle) == len(rows) and all("idle" in text and "…" not in text for text in idle), f"idle shares by kind, not cut: {idle}")


def help_covers_nothing(page):
    """? opens the keys beside the page, which becomes narrower and stays where it is."""
    page.show("workers")
    place = "const r = document.querySelector('#workers').getBoundingClientRect(); return [r.top, r.right]"
    before = page.js(place)
    page.key("?")
    top, right = page.js(place)
    beside = page.js("return document.querySelector('#helpbox').getBoundingClientRect().left")
    check(abs(top - before[0]) < 60 and right <= beside, f"the help is beside the chart, which stays in sight: {before}, {top}, {right}, {beside}")
    check("critical chain" in page.js("return document.querySelector('#helpbox').innerText"), "and tells the keys")
    page.key("?")
    check(page.js(place) == before, "and goes")
