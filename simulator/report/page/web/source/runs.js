// The page of runs: its sections, controls and keys.

import { boundsPanel, LostPanel } from "./bounds.js";
import { idleItems, readTasks, rowsOfWorkers } from "./data.js";
import { differencePanel, differingKeys, namesOf, titleOf, verdictOf } from "./difference.js";
import { tablesOf } from "./download.js";
import { fragmentOf, showFragment } from "./fragment.js";
import { button, Frame } from "./frame.js";
import { taskFacts, taskName } from "./hover.js";
import { MapPanel } from "./map.js";
import { Overview } from "./overview.js";
import { boundsTable, breakdownTable, mapTable } from "./panel_csv.js";
import { LevelPanel } from "./levels.js";
import { fitMargins } from "./plot.js";
import { RangePanel } from "./range_panel.js";
import { Search } from "./search.js";
import { Statistics } from "./statistics.js";
import { detailTables, folded, keyNumbers, provenancePanel, resultTable } from "./tables.js";
import { hasCells, timePanels } from "./time_panels.js";
import { TimeOfRun, View } from "./view.js";
import { element, seconds, swatch } from "./format.js";

/** Changes of the view that leave the sums over its tasks as they are. */
const keepsSums = new Set(["task", "chain", "theme"]);

export class RunsPage extends Frame {
  constructor(report) {
    super();
    this.report = report;
    this.runs = report.runs;
    this.comparison = report.comparison;
    this.keys = differingKeys(this.runs);
    this.names = namesOf(this.runs, this.keys);
    for (const run of this.runs) {
      run.rows = rowsOfWorkers(run);
      run.shift = 0; // of its dates, which aligns it
      run.found = null;
      run.mixed = new Set(run.workers.map(({ gpu }) => gpu)).size > 1;
      run.statistics = new Statistics(run);
      run.idleItems = hasCells(run) ? idleItems(run) : null;
      run.tasks = null;
    }
    this.longest = Math.max(...this.runs.map((r) => r.makespan_s));
    this.view = new View(this.longest);
    this.runs.forEach((run, i) => Object.assign(run, { number: i, view: new TimeOfRun(this.view, run) }));
    this.alignment = "start";
    this.plots = []; // {id, panel, run}
    this.atRest = []; // {id, panel}: drawn when the view rests
  }

  build() {
    this.fit();
    const [workers, ...others] = timePanels(this.report);
    this.bar();
    this.head();
    this.timeSection(workers);
    if (this.runs.length > 1) this.result();
    this.bounds();
    this.rangeSection();
    this.lost();
    for (const spec of others) this.timeSection(spec);
    this.maps();
    this.tables();
    this.provenance();
    this.view.listen((changes) => this.update(changes));
    addEventListener("hashchange", () => location.hash.slice(1) !== this.fragment && this.showLink());
  }

  /** Fits the margins of all panels to their labels. */
  fit() {
    fitMargins(this.runs.flatMap((run) => [...run.nodes.map((n) => n.label),
      ...run.occupation.map((o) => `${run.nodes[o.node].name}: ${o.workers} cores`),
      ...Object.values(run.level_curves).flatMap(({ rows }) => rows.map(({ row }) => row))]));
  }

  redraw(what) {
    if (what === "size") this.fit();
    this.view.changed(what);
  }

  // ---- controls ----

  bar() {
    this.chainButton = button("Chain", "Highlight the critical chain: the tasks that the end waited for (c)",
      () => this.view.set("chain", !this.view.chain), "chain");
    const { runs } = this, longest = runs.reduce((a, b) => (b.nodes.length > a.nodes.length ? b : a));
    const iterations = new Set(runs.flatMap((r) => r.iterations.map(([k]) => k)));
    this.nodeSelect = this.selectOf("node", "All nodes", longest.nodes.map((n, i) => [i, `Node ${n.label}`]));
    this.iterationSelect = this.selectOf("iteration", "All iterations", [...iterations].sort((a, b) => a - b)
      .map((k) => [k, `Iteration ${k}`]));
    this.range = element("span", { class: "range" });
    this.search = new Search(runs, this.view);
    this.overview = new Overview(runs, this.view);
    const traced = runs.some((r) => r.packedDetail), several = runs.length > 1;
    const common = [...iterations].filter((k) => runs.every((run) => run.iterations.some((i) => i[0] === k)));
    if (several) this.alignSelect = element("select", { id: "align", "aria-label": "Alignment of the runs",
      onchange: () => this.align(this.alignSelect.value) },
      element("option", { value: "start", text: "Aligned: start" }),
      ...common.map((k) => element("option", { value: k, text: `Aligned: k = ${k}` })));
    this.lay({
      left: [button("−", "Zoom out (-)", () => this.view.zoom(2)),
        button("+", "Zoom in (+)", () => this.view.zoom(0.5)),
        button("Whole run", "Show all of it (0, or double click)", () => this.view.reset(), "reset"),
        this.range],
      right: [...(traced ? [this.search.input, this.search.count] : []), this.nodeSelect,
        this.iterationSelect, ...(traced ? [this.chainButton] : []), ...(several ? [this.alignSelect,
          button("Side by side", "Runs beside or below each other (l)", () => this.toggleLayout(),
            "layout")] : [])],
      below: this.overview.runs.length ? [this.overview.canvas] : [],
      help: [["drag", "zoom into a stretch of time, in all panels"],
        ["Shift + drag, r", "select a range of time (r: the visible one) for its statistics"],
        ["Ctrl + wheel, + −, pinch", "zoom"], ["Shift + wheel, ← →, one finger", "move in time"],
        ["double click, 0", "the whole run"], ["strip at the top", "move or resize the visible range"],
        ["click a task", "arrows from its predecessors (dashed), to its successors, and back "
          + "along what each task waited for"], [",  .", "previous, next task of its worker"],
        ["/  Enter", "search a task or node; the next one found"], ["n  N", "next, previous node"],
        ["i  I", "next, previous iteration"], ["c", "critical chain: the tasks that the end waited for"],
        ["t", "light or dark"], ["l", "runs beside or below each other"], ["Esc", "clear the selection"]],
    });
  }

  /** Aligns the runs at their starts ("start"), or at the first end of iteration `where`. */
  align(where) {
    if (where === this.alignment || this.runs.length < 2) return;
    const starts = this.runs.map((run) => run.iterations.find(([k]) => String(k) === where)?.[2]);
    const known = where !== "start" && starts.every((date) => date !== undefined);
    this.alignment = known ? where : "start";
    this.runs.forEach((run, i) => (run.shift = known ? starts[i] - starts[0] : 0));
    this.alignSelect.value = this.alignment;
    this.view.setLimits(Math.min(...this.runs.map((r) => -r.shift)),
      Math.max(...this.runs.map((r) => r.makespan_s - r.shift)));
  }

  selectOf(what, all, choices) {
    const select = element("select", { id: what, "aria-label": what,
      onchange: () => this.view.set(what, select.value === "" ? null : Number(select.value)) },
      element("option", { value: "", text: all }),
      ...choices.map(([value, text]) => element("option", { value, text })));
    select.hidden = choices.length < 2;
    return select;
  }

  step(what, select, by) {
    const values = [...select.options].map((o) => o.value);
    if (values.length < 3) return;
    const next = (values.indexOf(String(this.view[what] ?? "")) + by + values.length) % values.length;
    this.view.set(what, values[next] === "" ? null : Number(values[next]));
  }

  toggleLayout() {
    document.body.classList.toggle("beside");
    this.view.changed("size");
  }

  actions() {
    const view = this.view;
    return {
      ...super.actions(),
      "+": () => view.zoom(0.5), "=": () => view.zoom(0.5), "-": () => view.zoom(2), 0: () => view.reset(),
      Home: () => view.reset(),
      ArrowLeft: () => view.pan(-0.2), ArrowRight: () => view.pan(0.2),
      c: () => view.set("chain", !view.chain), l: () => this.runs.length > 1 && this.toggleLayout(),
      n: () => this.step("node", this.nodeSelect, 1), N: () => this.step("node", this.nodeSelect, -1),
      i: () => this.step("iteration", this.iterationSelect, 1),
        I: () => this.step("iteration", this.iterationSelect, -1),
      r: () => view.set("range", view.range ? null : { t0: view.t0, t1: view.t1 }),
      "/": () => this.search.input.focus(), ",": () => this.neighbour(-1), ".": () => this.neighbour(1),
    };
  }

  clear() {
    super.clear();
    for (const what of ["node", "iteration", "task", "range"]) this.view.set(what, null);
    this.view.set("chain", false);
    this.search.text = "";
    this.search.input.blur();
  }

  /** Selects the task before or after the selected one on its worker. */
  neighbour(by) {
    const { task } = this.view, run = task?.run ?? this.runs.find((r) => r.tasks);
    if (!run?.tasks) return;
    const { byWorker: items, worker } = run.tasks;
    const row = task ? run.rows.rowOf[worker[task.index]] : 0;
    const place = task ? items.item.indexOf(task.index, items.begin[row]) + by : items.begin[row];
    if (place < items.begin[row] || place >= items.begin[row + 1]) return;
    this.view.showTask(run, items.item[place]);
  }

  // ---- sections ----

  /** Adds the box of a run to a section, with its name if there are several runs. */
  runBox(body, i) {
    const box = element("div", { class: "run" });
    if (this.runs.length > 1) box.append(element("h3", {},
      element("span", { class: "letter", text: "ABCD"[i] }), document.createTextNode(this.names[i])));
    body.append(box);
    return box;
  }

  head() {
    const { runs, keys, main } = this;
    main.classList.toggle("several", runs.length > 1);
    if (runs.length > 1) document.title = titleOf(runs, keys);
    main.append(element("h1", { text: document.title }));
    if (runs.length === 1) return this.result();
    if (new Set(runs.map((r) => r.name)).size === 1) main.append(element("p", { class: "note", text: runs[0].name }));
    if (this.comparison) main.append(element("p", { class: "diagnosis", text: verdictOf(this.comparison) }));
    const { body } = this.section("difference", this.comparison ? "Difference" : "What differs");
    differencePanel(runs, keys, this.comparison, body);
    body.append(...runs.flatMap((run, i) => (run.diagnosis ? [element("p", { class: "note",
      text: `${"ABCD"[i]}: ${run.diagnosis.text}` })] : [])));
    this.downloads("difference", () => tablesOf(body));
  }

  /** The numbers of the results; of one run the most important ones, what limits it, and the others on request. */
  result() {
    const { runs } = this, { body } = this.section("result", "Result"), all = element("div", {});
    if (runs.some((r) => r.result?.estimate)) body.append(element("p",
      { class: "warning", text: "Some timings are estimates, not measurements: see the provenance below." }));
    resultTable(runs, runs.length > 1 ? this.names.map((n, i) => `${"ABCD"[i]}  ${n}`) : ["value"], all);
    if (runs.length === 1) {
      keyNumbers(runs[0], body);
      if (runs[0].diagnosis) body.append(element("p", { class: "diagnosis", text: runs[0].diagnosis.text }));
      body.append(folded(`All ${runs[0].totals.length} numbers`, all));
      all.classList.add("single");
    } else body.append(all);
    this.downloads("result", () => tablesOf(body));
  }

  /** Adds the column of the run to the tables of several runs, and joins them. */
  joined(runs, tableOf) {
    const { names } = this, tables = runs.map(tableOf);
    if (this.runs.length === 1) return tables[0];
    return [["run", ...tables[0][0]], runs.flatMap((run, i) => tables[i][1].map((row) =>
      [names[this.runs.indexOf(run)], ...row]))];
  }

  /** Statistics of the selected or else the visible range. */
  rangeSection() {
    if (!this.runs.some((r) => r.packedDetail)) return;
    const { body } = this.section("range", "Range of time",
      "the visible range, or a range selected with Shift and the mouse, or r");
    const runs = this.runs.filter((r) => r.packedDetail);
    runs.forEach((run) => this.atRest.push({ id: "range", panel: new RangePanel(run, run.view,
      this.runBox(body, this.runs.indexOf(run))) }));
    this.downloads("range", () => this.joined(runs, (run) => this.atRest.find((p) => p.id === "range" &&
      p.panel.run === run).panel.csv()));
  }

  bounds() {
    const { body } = this.section("bounds", "Bounds");
    this.runs.forEach((run, i) => boundsPanel(run, this.longest, this.runBox(body, i)));
    this.downloads("bounds", () => this.joined(this.runs, boundsTable));
  }

  lost() {
    if (!this.runs.some((r) => r.breakdowns.length)) return;
    const lost = this.section("lost", "Where the time went",
      "within the visible or selected range; each bar adds up to it; hatched: no task ran");
    const runs = this.runs.filter((run) => run.breakdowns.length);
    const panels = runs.map((run) => new LostPanel(run, this.longest, run.view, this.runBox(lost.body,
      this.runs.indexOf(run))));
    for (const panel of panels) this.atRest.push({ id: "lost", panel });
    this.downloads("lost", () => this.joined(runs, (run) => breakdownTable(run, run.view,
      panels[runs.indexOf(run)])));
  }

  timeSection(spec) {
    const having = this.runs.filter(spec.has);
    if (having.length === 0) return;
    const { body, tools } = this.section(spec.id, spec.title, spec.note(having[0]));
    const keys = element("div", { class: "keys" });
    body.append(keys);
    const panels = [];
    this.runs.forEach((run, i) => {
      if (!spec.has(run)) return;
      const box = this.runBox(body, i);
      const own = spec.level ? element("div", { class: "keys" }) : null;
      if (own) box.append(own);
      const legend = (curves, note) => own.replaceChildren(...curves,
        note ? element("span", { class: "note", text: note }) : "");
      const panel = spec.build(this.report, run, run.view, box, this.hover, legend);
      panels.push(panel);
      this.plots.push({ id: spec.id, panel, run });
    });
    const signs = new Map(having.flatMap((run) => spec.keys?.(run) ?? []).map((key) => [key.name, key]));
    keys.append(...[...signs.values()].map(({ name, color, mark }) => swatch(color, name, mark)));
    if (spec.id === "workers") tools.append((this.taskBox = element("div", { class: "taskbox", hidden: true })));
    if (spec.level && panels.length > 1) LevelPanel.compare(panels);
    if (spec.level && panels[0].canTurn())
      tools.append(element("button", { text: "by node / together", type: "button",
        onclick: () => panels[0].toggleRows() }));
    this.downloads(spec.id, () => this.joined(having, (run) => spec.csv(run, run.view,
      panels[having.indexOf(run)])), () => panels.map((p) => p.plot));
  }

  maps() {
    const having = this.runs.filter((r) => r.map && r.nodes.length > 1); // one node owns all tiles
    if (!having.length) return;
    const { body } = this.section("map", "Distribution of the tiles",
      "owners of the tiles and how many each has; click one to select its node");
    this.runs.forEach((run, i) => having.includes(run) &&
      this.plots.push({ id: "map", run, panel: new MapPanel(run, this.view, this.runBox(body, i),
      this.hover) }));
    this.downloads("map", () => this.joined(having, mapTable));
  }

  tables() {
    const { body } = this.section("tables", "Tables");
    this.runs.forEach((run, i) => detailTables(run, this.runBox(body, i)));
    this.downloads("tables", () => tablesOf(body));
  }

  provenance() {
    const { body } = this.section("provenance", "Scenario and provenance");
    this.runs.forEach((run, i) => provenancePanel(run, this.runBox(body, i)));
  }

  // ---- drawing ----

  update(changes) {
    const { view } = this;
    this.range.textContent = `${seconds(view.t0)} – ${seconds(view.t1)}`;
    this.nodeSelect.value = view.node ?? "";
    this.iterationSelect.value = view.iteration ?? "";
    this.chainButton.setAttribute("aria-pressed", String(view.chain));
    if (changes.has("task")) this.showTask();
    this.overview.draw();
    for (const { id, panel } of this.plots) {
      if (this.sections.get(id).section.hidden) continue;
      if (panel instanceof MapPanel) {
        if (changes.has("node") || changes.has("theme") || changes.has("size")) panel.draw();
      } else if (panel.draw) panel.draw(changes);
      else panel.plot.draw(changes.has("size"));
    }
    if (!view.moving) this.rest([...changes].some((change) => !keepsSums.has(change)));
  }

  /** Draws what takes longer than a frame allows. `sums`: what is summed over tasks may differ. */
  rest(sums) {
    for (const { id, panel } of this.atRest) if (sums && !this.sections.get(id).section.hidden) panel.draw();
    for (const { panel } of this.plots) panel.plot?.describe?.();
    this.writeLink();
    const { view } = this, task = view.task;
    this.speak([`${seconds(view.t0)} to ${seconds(view.t1)}`, view.node === null ? "" : `node ${view.node}`,
      view.iteration === null ? "" : `iteration ${view.iteration}`, view.range ? "a range is selected" : "",
      task ? taskName(task.run, task.index) : ""].filter(Boolean).join(", "));
  }

  /** Writes the view into the address, once the page has shown what the address says. */
  writeLink() {
    if (this.fragment === undefined) return;
    const fragment = fragmentOf(this);
    if (fragment === this.fragment) return;
    this.fragment = fragment;
    history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
  }

  showLink() {
    this.fragment = location.hash.slice(1);
    showFragment(this, this.fragment);
  }

  toggle(id) {
    super.toggle(id);
    this.view.changed("size");
  }

  showTask() {
    const task = this.view.task;
    this.taskBox.hidden = !task;
    if (!task) return;
    this.taskBox.replaceChildren(element("strong", { text: taskName(task.run, task.index) }),
      document.createTextNode(" " + taskFacts(task.run,
        task.index).map(([name, value]) => `${name} ${value}`).join("; ")));
  }

  async readTasks() {
    for (const run of this.runs) {
      run.tasks = await readTasks(run);
      this.view.changed("tasks");
      await new Promise(requestAnimationFrame);
    }
    this.showLink();
  }
}
