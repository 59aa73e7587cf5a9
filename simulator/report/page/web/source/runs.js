// The page of runs: its sections, controls and keys.

import { boundsPanel, lostPanel } from "./bounds.js";
import { idleItems, readTasks, rowsOfWorkers } from "./data.js";
import { button, Frame } from "./frame.js";
import { taskFacts, taskName } from "./hover.js";
import { LevelPanel, OccupationPanel } from "./levels.js";
import { MapPanel } from "./map.js";
import { detailTables, provenancePanel, resultTable } from "./tables.js";
import { View } from "./view.js";
import { iterationsPanel, statesPanel, workersPanel } from "./workers.js";
import { element, percent, seconds, swatch } from "./format.js";

const hasCells = (run) => run.worker_cells.rows > 0;

/** Returns the panels on the time axis: {id, title, note(run), has(run), keys(run), build(...)}. */
function timePanels(report) {
  const own = [
    { id: "iterations", title: "Iterations", has: (r) => r.iterations.length > 1, build: iterationsPanel,
      keys: (r) => r.kernels,
      note: () => "lines: first, median (dashed) and last end of the kernels of each iteration; "
        + "click one to select it" },
    { id: "workers", title: "Workers", has: hasCells, build: workersPanel, keys: (r) => r.kernels,
      note: (r) =>
        `short marks: area bound of each node, dashed: of all together; ${seconds(r.makespan_s)} in all; `
        + "click a task for what it depends on and waited for" },
    { id: "states", title: "Worker states", has: hasCells, build: statesPanel,
      keys: (r) => r.states.filter((_, s) => r.state_cells.color.includes(s)),
      note: (r) => (r.own_states ? "as the trace names them" : "blank while a task runs") },
    { id: "nodes", title: "Node occupation", has: (r) => r.occupation.length > 0, keys: (r) => r.kernels,
      build: (_, run, view, parent, hover) => new OccupationPanel(run, view, parent, hover),
      note: () => "share of the cores and of the GPUs of each node that run a kernel; "
        + "click a row to select its node" },
  ];
  const levels = report.panels.map((panel) => ({
    id: panel.id, title: panel.title, unit: panel.unit, level: panel, note: () => "",
    has: (r) => r.level_curves[panel.id].sums.some((c) => !c.zero),
    build: (_, run, view, parent, hover, legend) => new LevelPanel(report, panel, run, view, parent, hover,
      legend),
  }));
  return [...own, ...levels];
}

export class RunsPage extends Frame {
  constructor(report) {
    super();
    this.report = report;
    this.runs = report.runs;
    for (const run of this.runs) {
      run.rows = rowsOfWorkers(run);
      run.idleItems = hasCells(run) ? idleItems(run) : null;
      run.tasks = null;
    }
    this.view = new View(Math.max(...this.runs.map((r) => r.makespan_s)));
    this.plots = []; // {section, panel}
  }

  names() {
    // Runs of one scenario are distinguished by their paths.
    const same = new Set(this.runs.map((r) => r.name)).size < this.runs.length;
    return this.runs.map((r) => (same ? r.source : r.name));
  }

  build() {
    this.bar();
    this.head();
    this.bounds();
    for (const spec of timePanels(this.report)) this.timeSection(spec);
    this.maps();
    this.tables();
    this.provenance();
    this.view.listen((changes) => this.update(changes));
  }

  redraw(what) {
    this.view.changed(what);
  }

  // ---- controls ----

  bar() {
    this.chainButton = button("Chain", "Highlight the chain of tasks that the end waited for (c)",
      () => this.view.set("chain", !this.view.chain), "chain");
    this.nodeSelect = this.selectOf("node", "All nodes", this.nodeChoices());
    this.iterationSelect = this.selectOf("iteration", "All iterations", this.iterationChoices());
    this.range = element("span", { class: "range" });
    const traced = this.runs.some((r) => r.packedDetail);
    this.lay({
      left: [button("−", "Zoom out (-)", () => this.view.zoom(2)),
        button("+", "Zoom in (+)", () => this.view.zoom(0.5)),
        button("Whole run", "Show all of it (0, or double click)", () => this.view.reset(), "reset"),
        this.range],
      right: [this.nodeSelect, this.iterationSelect, ...(traced ? [this.chainButton] : []),
        ...(this.runs.length > 1
          ? [button("Side by side", "Runs beside or below each other (l)", () => this.toggleLayout(),
          "layout")] : [])],
      help: [["drag", "zoom into a stretch of time, in all panels"], ["Ctrl + wheel, + −", "zoom"],
        ["Shift + wheel, ← →", "move in time"],
        ["double click, 0", "the whole run"],
        ["click a task", "what it depends on (dashed), and the way back along what each task waited for"],
        ["n  N", "next, previous node"], ["i  I", "next, previous iteration"],
        ["c", "chain of tasks that the end waited for"],
        ["t", "light or dark"], ["l", "runs beside or below each other"], ["Esc", "select nothing"]],
    });
  }

  nodeChoices() {
    const longest = this.runs.reduce((a, b) => (b.nodes.length > a.nodes.length ? b : a));
    return longest.nodes.map((n, i) => [String(i), `Node ${n.label}`]);
  }

  iterationChoices() {
    const ks = new Set(this.runs.flatMap((r) => r.iterations.map(([k]) => k)));
    return [...ks].sort((a, b) => a - b).map((k) => [String(k), `Iteration ${k}`]);
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
    };
  }

  clear() {
    super.clear();
    for (const what of ["node", "iteration", "task"]) this.view.set(what, null);
    this.view.set("chain", false);
  }

  // ---- sections ----

  /** Adds the box of a run to a section, with its name if there are several runs. */
  runBox(body, i) {
    const box = element("div", { class: "run" });
    if (this.runs.length > 1) box.append(element("h3", {},
      element("span", { class: "letter", text: "ABCD"[i] }), document.createTextNode(this.names()[i])));
    body.append(box);
    return box;
  }

  head() {
    const names = this.names();
    this.main.append(element("h1", { text: this.runs.length === 1 ? names[0] : `${this.runs.length} runs` }));
    const { body } = this.section("result", "Result");
    if (this.runs.some((r) => r.result?.estimate)) body.append(element("p",
      { class: "warning", text: "Some timings are estimates, not measurements: see the provenance below." }));
    for (const [i, run] of this.runs.entries()) if (run.diagnosis) body.append(element("p",
      { text: (this.runs.length > 1 ? `${"ABCD"[i]}: ` : "") + run.diagnosis.text }));
    body.classList.toggle("single", this.runs.length === 1);
    resultTable(this.runs, this.runs.length > 1 ? names.map((n, i) => `${"ABCD"[i]}  ${n}`) : ["value"],
      body);
  }

  bounds() {
    const longest = Math.max(...this.runs.map((r) => r.makespan_s));
    const { body } = this.section("bounds", "Bounds");
    this.runs.forEach((run, i) => boundsPanel(run, longest, this.runBox(body, i)));
    if (!this.runs.some((r) => r.breakdowns.length)) return;
    const lost = this.section("lost", "Where the time went",
      "each bar adds up to the makespan; hatched: nothing was run");
    this.runs.forEach((run, i) => run.breakdowns.length &&
      lostPanel(run, longest, this.runBox(lost.body, i)));
  }

  timeSection(spec) {
    const having = this.runs.filter(spec.has);
    if (having.length === 0) return;
    const { body, tools } = this.section(spec.id, spec.unit ? `${spec.title} (${spec.unit})` : spec.title,
      having.length === 1 ? spec.note(having[0]) : spec.note(having[0]).replace(/; [^;]* in all/, ""));
    const keys = element("div", { class: "keys" });
    body.append(keys);
    const panels = [];
    this.runs.forEach((run, i) => {
      if (!spec.has(run)) return;
      const box = this.runBox(body, i);
      const own = spec.level ? element("div", { class: "keys" }) : null;
      if (own) box.append(own);
      const legend = (curves, note) => own.replaceChildren(...curves.map((c) => swatch(c.color, c.name)),
        note ? element("span", { class: "note", text: note }) : "");
      const panel = spec.build(this.report, run, this.view, box, this.hover, legend);
      panels.push(panel);
      this.plots.push({ id: spec.id, panel, run });
    });
    if (spec.keys) this.legend(keys, having, spec);
    if (spec.id === "workers") tools.append((this.taskBox = element("div",
      { class: "taskbox", hidden: true })));
    if (spec.level && panels[0].canTurn())
      tools.append(element("button", { text: "by node / together", type: "button",
        onclick: () => panels.forEach((p) => p.toggleRows()) }));
  }

  legend(keys, runs, spec) {
    const seen = new Map(runs.flatMap((r) => spec.keys(r)).map((k) => [k.name, k.color]));
    keys.append(...[...seen].map(([name, color]) => swatch(color, name)));
  }

  maps() {
    const having = this.runs.filter((r) => r.map);
    if (!having.length) return;
    const { body } = this.section("map", "Distribution of the tiles",
      "owners of the tiles and how many each has; click one to select its node");
    this.runs.forEach((run, i) => run.map &&
      this.plots.push({ id: "map", run, panel: new MapPanel(run, this.view, this.runBox(body, i),
      this.hover) }));
  }

  tables() {
    const { body } = this.section("tables", "Tables");
    this.runs.forEach((run, i) => detailTables(run, this.runBox(body, i)));
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
    for (const { id, panel } of this.plots) {
      if (this.sections.get(id).section.hidden) continue;
      if (panel instanceof MapPanel) {
        if (changes.has("node") || changes.has("theme") || changes.has("size")) panel.draw();
      } else if (panel.draw) panel.draw(changes);
      else panel.plot.draw(changes.has("size"));
    }
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
  }
}
