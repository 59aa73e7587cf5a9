// The page of a sweep: charts of its results over one parameter, with a line for each value of another one,
// and the table of its points.

import { tablesOf } from "./download.js";
import { button, Frame } from "./frame.js";
import { heatMap } from "./heat_map.js";
import { LinesPlot, styleOf } from "./lines.js";
import { PointTable } from "./point_table.js";
import { Points, formatted } from "./points.js";
import { commandOf } from "./point_command.js";
import { folded, table } from "./tables.js";
import { element, factList, grouped, swatch } from "./format.js";

const notes = {
  makespan_s: "dashed: bound of the problem, the smallest of all lines",
  gflops: "dashed: the rate at the bound of the problem, the highest of all lines",
  efficiency: "bound of the problem over the makespan",
  speedup: "over the best line at the smallest value of the axis",
};
/** Returns the id of the panel of a metric. */
const idOf = (metric) => "m-" + metric;
const maxCharts = 24, maxKeys = 40;

export class SweepPage extends Frame {
  constructor(report) {
    super();
    this.sweep = report.sweep;
    this.generator = report.generator;
    this.points = new Points(this.sweep);
    const { sweep, points } = this;
    this.axes = sweep.axes.map((name) => points.column(name)).filter((column) => !column.same);
    this.state = { x: sweep.x, series: sweep.series, heat: sweep.plots[0]?.heat_map ?? false, log: null };
    this.kept = new Map(); // by parameter: the one value that the filters leave
    this.selected = null; // row of a point
    this.charts = new Map(); // plots by metric
  }

  build() {
    this.bar();
    this.head();
    this.comparisons();
    this.metrics();
    this.table();
    this.failures();
    this.provenance();
    this.update();
  }

  // ---- controls ----

  bar() {
    const choice = (id, label, columns, none) => {
      const select = element("select", { id, "aria-label": label, onchange: () => this.choose(id, select.value) },
        ...(none ? [element("option", { value: "", text: none })] : []),
        ...columns.map((c) => element("option", { value: c.name, text: c.label, title: c.name })));
      select.value = this.state[id];
      return element("label", { class: "choice", text: label + " " }, select);
    };
    this.lay({
      left: [choice("x", "x axis", this.axes), choice("series", "lines", this.axes, "no other"),
        button("Logarithmic", "Axes in powers (g)", () => this.choose("log", !this.state.log), "log"),
        button("Heat map", "Lines, or cells of the two columns (m)",
          () => this.choose("heat", !this.state.heat), "heat")],
      below: [this.filters()],
      help: [["x  X, s  S", "next, previous axis; next, previous lines"],
        ["drag; double click", "zoom in x; all of it"], ["g, m", "logarithmic axes; heat map"],
        ["point at a mark", "parameters, values and their spread"],
        ["click a mark or a row", "the point, and the commands that simulate its run"],
        ["← → ↑ ↓", "next point of the line; of the other lines there"], ["/", "filter the table"],
        ["t", "light or dark"], ["Esc", "clear the selection"]],
    });
  }

  filters() {
    const box = element("div", { class: "filters", role: "group", "aria-label": "Keep only" });
    for (const column of this.points.parameters.filter((c) => c.varies)) {
      const select = element("select", { "aria-label": column.label, "data-filter": column.name,
        onchange: () => this.keep(column, select.value) },
        element("option", { value: "", text: `${column.label}: all ${column.different.length}` }),
        ...column.different.map((value, place) => element("option",
          { value: String(place), text: `${column.label}: ${value}` })));
      box.append(select);
    }
    return box;
  }

  keep(column, value) {
    if (value === "") this.kept.delete(column);
    else this.kept.set(column, Number(value));
    this.update();
  }

  choose(what, value) {
    this.state[what] = value;
    const other = what === "x" ? "series" : what === "series" ? "x" : null;
    if (other && value !== "" && this.state[other] === value) this.state[other] = other === "series" ? ""
      : this.axes.find((c) => c.name !== value)?.name ?? value;
    for (const id of ["x", "series"]) document.getElementById(id).value = this.state[id];
    this.update();
  }

  step(id, by) {
    const values = [...document.getElementById(id).options].map((o) => o.value);
    this.choose(id, values[(values.indexOf(this.state[id]) + by + values.length) % values.length]);
  }

  actions() {
    return {
      ...super.actions(),
      x: () => this.step("x", 1), X: () => this.step("x", -1), s: () => this.step("series", 1),
        S: () => this.step("series", -1),
      g: () => this.choose("log", !this.state.log), m: () => this.choose("heat", !this.state.heat),
      "/": () => this.pointTable.filter.focus(),
      ArrowLeft: () => this.walk(-1, 0), ArrowRight: () => this.walk(1, 0), ArrowUp: () => this.walk(0, 1),
        ArrowDown: () => this.walk(0, -1),
    };
  }

  clear() {
    super.clear();
    this.select(null);
  }

  /** Selects the next point along the line, or the next higher or lower one at the same x. */
  walk(along, up) {
    const plot = [...this.charts.values()].flat().find((p) =>
      p.panel.curves.some((c) => c.points.some((q) => q.rows.includes(this.selected)))) ??
      [...this.charts.values()].flat()[0];
    if (!plot?.panel.curves.length) return;
    const { curves } = plot.panel,
      curve = curves.find((c) => c.points.some((p) => p.rows.includes(this.selected)));
    if (!curve) return this.select(curves[0].points[0].rows[0]);
    const i = curve.points.findIndex((p) => p.rows.includes(this.selected));
    if (along) return this.select((curve.points[i + along] ?? curve.points[i]).rows[0]);
    const others = curves.flatMap((c) => c.points.filter((p) => p.x === curve.points[i].x)).sort((a, b) =>
      a.y - b.y);
    const next = others[others.indexOf(curve.points[i]) + up];
    if (next) this.select(next.rows[0]);
  }

  // ---- sections ----

  head() {
    const { points, sweep } = this;
    this.main.append(element("h1", { text: sweep.name }));
    const { body } = this.section("result", "Sweep");
    if (points.column("estimate")?.different.includes("true")) body.append(element("p", { class: "warning",
      text: "Some timings are estimates, not measurements: see the column estimate, and the provenance below."
    }));
    const { replicas, ...counted } = sweep.counts, counts = Object.entries(counted);
    if (replicas > 1) counts.push(["replicas of each", replicas]);
    const tiles = element("div", { class: "single", id: "counts" },
      table(["quantity", "value"], counts.map(([name, value]) => [name, grouped(value)])));
    tiles.querySelectorAll("tbody tr").forEach((row, i) =>
      ([row.dataset.name, row.dataset.value] = [counts[i][0], String(counts[i][1])]));
    body.append(tiles);
    const swept = points.columns.filter((c) =>
      !c.same && (c.kind === "parameter" || (c.kind === "machine" && c.varies)));
    body.append(folded(`Parameters (${swept.length})`, table(["parameter", "number", "values"],
      swept.map((c) => [c.label, c.different.length, c.different.slice(0, 60).map(String).join(", ") +
      (c.different.length > 60 ? ", …" : "")]), { numeric: false }), true));
  }

  comparisons() {
    const { points } = this, { comparisons } = this.sweep;
    if (!comparisons.length) return;
    const { body } = this.section("comparisons", "Comparisons",
      "where a value is better than the baseline, and by how much of the baseline's result");
    body.append(element("ul", {}, ...comparisons.map((c) => element("li",
      { text: `${points.label(c.metric)}${c.where ? ", " + c.where : ""}: ${c.words}` }))));
    this.downloads("comparisons", () => [["metric", "where", "comparison"], comparisons.map((c) => [c.metric,
      c.where, c.words])]);
  }

  metrics() {
    const { points, sweep } = this;
    const names = [...points.metrics.keys()];
    const seen = (of) => of.filter((y) => points.metrics.get(y)?.mean.some((v) => Math.abs(v) > 0)); // not 0 everywhere
    const asked = seen(sweep.plots.map((p) => p.y));
    const shown = asked.length ? asked : seen(["makespan_s", "gflops", "efficiency"]);
    if (!shown.length && names.length) shown.push(names[0]);
    const { replicas } = sweep.counts;
    const bars = replicas > 1 && `marks: means; bars: their 95 % confidence intervals, n = ${replicas} replicas`;
    for (const name of [...new Set([...shown, ...names])]) {
      const title = points.label(name).replace(/ \([^()]*\)$/, ""), note = [notes[name], bars];
      this.section(idOf(name), title, note.filter(Boolean).join("; "), shown.includes(name));
      this.downloads(idOf(name), () => this.chartTable(name), () => this.charts.get(name) ?? []);
    }
    this.metricNames = names;
    this.shown = shown;
  }

  table() {
    const { points } = this;
    const usual = ["point",
      ...points.columns.filter((c) => (c.kind === "parameter" || c.kind === "machine") && c.varies && !c.same)
        .map((c) => c.name), "status", ...this.shown, "efficiency", "tiles_sent"];
    if (this.sweep.counts.replicas > 1) usual.push("replica");
    const { body, tools } = this.section("points", "Points",
      "click a column to sort by it, a row to select its point; tooltips show exact numbers");
    this.pointTable = new PointTable(points, usual, body, tools, (i) => this.select(i));
    this.downloads("points", () => [points.columns.map((c) => c.name), this.pointTable.rows.map((i) =>
      points.columns.map((c) => c.values[i]))]);
  }

  failures() {
    const { points } = this, failed = [...points.all].filter((i) => !points.done(i));
    if (!failed.length) return;
    const { body } = this.section("failed", "Points that failed", "× at the foot of the charts");
    const value = (name, i) => points.value(name, i) ?? "";
    const rows = failed.slice(0, 500).map((i) =>
      [value("point", i), this.parametersOf(i), value("status", i), value("message", i)]);
    body.append(table(["point", "parameters", "status", "message"], rows, { numeric: false }));
    if (failed.length > 500) body.append(element("p",
      { class: "note", text: `and ${grouped(failed.length - 500)} more in the table above` }));
  }

  provenance() {
    const { sweep } = this, { body } = this.section("provenance", "Provenance");
    const block = (value) => element("pre", { tabindex: 0, text: JSON.stringify(value, null, 1) });
    body.append(element("p",
      { text: `Page by ${this.generator}. Points: ${sweep.source}, all numbers also in its sweep.csv.` }));
    body.append(folded("How the sweep was made", block(sweep.origin), true));
    const title = "Versions and all effective options of the first completed point";
    if (sweep.provenance) body.append(folded(title, block(sweep.provenance)));
  }

  // ---- points ----

  parametersOf(i) {
    const parts = this.points.parameters.filter((c) => c.values[i] !== null).map((c) =>
      `${c.label} ${c.text(i)}`);
    const replica = this.points.value("replica", i);
    return parts.join(", ") + (replica ? `, replica ${replica}` : "");
  }

  select(i) {
    this.selected = i;
    this.pointTable.mark(i);
    this.drawer?.remove();
    this.drawer = null;
    if (i !== null) this.describe(i);
    this.redraw("selection");
  }

  describe(i) {
    const { points, sweep } = this, id = points.value("id", i), page = sweep.reports[id];
    const command = commandOf(this, i), note = (text) => element("p", { class: "note", text });
    const facts = points.columns.filter((c) => c.values[i] !== null).map((c) =>
      [c.label, c.kind === "result" ? formatted(c.name, c.values[i]) : c.text(i)]);
    this.drawer = element("aside", { class: "drawer", "aria-label": "Selected point" },
      element("h2", {}, document.createTextNode(`Point ${points.value("point", i)}`),
        button("×", "Close (Esc)", () => this.select(null), "close")),
      ...(page ? [element("p", {}, element("a", { href: page, id: "pointreport", text: "The report of its run" }))]
        : command ? [note("To look at its run, and to have a link to its report here when this page is made again:"),
          element("pre", { id: "command", text: command })]
        : [note(`Its scenario is in ${sweep.source}/points/${id}.json.`)]),
      factList(facts));
    document.body.append(this.drawer);
  }

  point(event, what) {
    if (!event || !what) return this.hover.hide();
    const { points } = this, row = what.failed ? what.failed.row : what.point.rows[0];
    const lines = points.columns.filter((c) => c.kind === "parameter" && !c.same && c.values[row] !== null).map((c) =>
      [c.label, c.text(row)]);
    if (what.failed) return this.hover.show({ event },
      `Point ${points.value("point", row)}: ${points.value("status", row)}`,
      [...lines, ["message", points.value("message", row) ?? "–"]]);
    const { curve, point, metric } = what, { spread } = point, shown = (v) => formatted(metric, v);
    if (spread.count > 1) lines.push(["replicas", String(spread.count)], ["mean", shown(spread.mean)],
        ["95 % confidence", `${shown(spread.low)} to ${shown(spread.high)} (of the mean)`],
        ["median, quartiles", [2, 1, 3].map((q) => shown(spread.quartiles[q])).join(", ")],
        ["least, most", `${shown(spread.quartiles[0])}, ${shown(spread.quartiles[4])}`]);
    for (const [name, label] of [["makespan_s", "makespan"], ["bound_s", "its bound"],
      ["efficiency", "efficiency"]])
      if (metric !== name && points.summary(name, point.group)) lines.push([label,
        formatted(name, points.summary(name, point.group).mean)]);
    if (points.value("estimate", row) === "true") lines.push(["timings", "estimates"]);
    for (const other of what.others.slice(0, 6)) lines.push(["also here",
      `${other.curve.name || "–"}: ${shown(other.point.y)}`,
      styleOf(this.sweep.colors, other.curve.place).color]);
    const value = `${points.label(metric)}: ${shown(point.y)}`;
    this.hover.show({ event }, curve.name ? `${curve.name}, ${value}` : value, lines);
  }

  // ---- drawing ----

  /**
   * Returns true if the filters above the charts leave a point. They hide points and never change numbers.
   */
  keeps(row) {
    return [...this.kept].every(([column, place]) => column.places[row] === place);
  }

  /** Draws everything for the current choices. */
  update() {
    document.getElementById("log").setAttribute("aria-pressed", String(this.state.log === true));
    document.getElementById("heat").setAttribute("aria-pressed", String(this.state.heat));
    this.pointTable.setRows(this.points.all.filter((row) => this.keeps(row)));
    this.charts.clear();
    for (const name of this.metricNames) if (!this.sections.get(idOf(name)).section.hidden) this.chart(name);
  }

  chart(name) {
    const { body } = this.sections.get(idOf(name)), { x, series, heat, log } = this.state;
    for (const plot of this.charts.get(name) ?? []) plot.plot.destroy();
    body.replaceChildren();
    this.charts.set(name, []);
    const column = this.points.column(x), kept = (row) => this.keeps(row);
    if (name === "speedup" && (!column.numeric || (heat && series))) return body.append(element("p",
      { class: "note", text: "A speed-up is shown by lines over numbers." }));
    if (heat && series) return body.append(heatMap(this.points, kept, { x, y: name, series },
      (i) => this.select(i)));
    const panels = this.points.charts({ x, y: name, series }, kept);
    if (!panels.length) return body.append(element("p", { class: "note", text: "No point has a value." }));
    const known = new Map();
    for (const panel of panels) for (const c of panel.curves) known.set(c.place, c.name);
    const keys = [...known].sort(([a], [b]) => a - b);
    body.append(element("div", { class: "keys" },
      ...(series ? [element("span", { class: "keytitle", text: `${this.points.label(series)}:` })] : []),
      ...(series
      ? keys.slice(0, maxKeys).map(([place, text]) => swatch(styleOf(this.sweep.colors, place).color,
      text || "–")) : []),
      keys.length > maxKeys ? element("span", { class: "note", text: `and ${keys.length - maxKeys} more` })
        : null));
    const grid = element("div", { class: "charts" });
    body.append(grid);
    const shown = panels.slice(0, maxCharts);
    const boxes = shown.map((panel) => element("div",
      { class: "chart", role: "img", tabindex: 0, "aria-label": this.spokenChart(name, panel) },
    panel.where ? element("h3", { text: panel.where }) : null));
    grid.append(...boxes); // before the plots: the boxes share the width
    for (const [i, panel] of shown.entries()) {
      this.charts.get(name).push(new LinesPlot(boxes[i], panel, {
        column, yLabel: this.points.label(name), colors: this.sweep.colors, logarithmic: log, selected: () => this.selected,
        hover: (event, what) => this.point(event, what && { ...what, metric: name }),
        click: (what) => this.select(what.failed ? what.failed.row : what.point.rows[0]),
      }));
    }
    const more = panels.length - maxCharts;
    if (more > 0) body.append(element("p", { class: "note xname",
      text: `${more} more charts: keep one value of a parameter above` }));
  }

  /** Returns what a chart shows, for screen readers. */
  spokenChart(name, { where, curves }) {
    const lines = curves.slice(0, 12).map((c) => `${c.name || "values"}: ${c.points.slice(0, 12).map((p) =>
      formatted(name, p.y)).join(", ")}`);
    return `${this.points.label(name)} over ${this.points.label(this.state.x)}${where ? `, ${where}` : ""}. ` +
      lines.join("; ");
  }

  /** Returns the points that the charts of a metric show: [head, rows]. */
  chartTable(name) {
    const { points, state } = this, rows = [];
    for (const { panel } of this.charts.get(name) ?? [])
      for (const curve of panel.curves)
        for (const { rows: of, y, spread } of curve.points) rows.push([panel.where, curve.name,
          points.value(state.x, of[0]), y, spread.count, spread.low, spread.high]);
    if (!rows.length) return tablesOf(this.sections.get(idOf(name)).body);
    return [["where", state.series || "line", state.x, name, "replicas", "ci95_low", "ci95_high"], rows];
  }

  redraw(what) {
    for (const name of this.metricNames) {
      if (this.sections.get(idOf(name)).section.hidden) continue;
      if (what === "size" && !this.charts.has(name)) this.chart(name);
      for (const plot of this.charts.get(name) ?? []) plot.draw(what === "size");
    }
  }
}
