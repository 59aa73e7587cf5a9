// Panels of levels over time: curves of all nodes together or of the selected one, or one row per node.

import uPlot from "uplot";
import { canvasOf, paintHeat, paintStacks, paletteOf, rgbOf } from "./raster.js";
import { dashedLine, layout, paintImage, rowLabels, rowRoom, theme, TimePlot } from "./plot.js";
import { percent, plain, scaleBar, swatch, unitFor } from "./format.js";

export class LevelPanel {
  constructor(report, panel, run, view, parent, hover, setLegend) {
    Object.assign(this, { report, panel, run, view, parent, hover, setLegend });
    this.data = run.level_curves[panel.id];
    this.byRow = this.data.by_row;
    this.peers = [this];
    this.build();
  }

  /** Gives the panels of several runs one unit and one scale, which makes them comparable. */
  static compare(panels) {
    for (const panel of panels) panel.peers = panels;
    for (const panel of panels) panel.build();
  }

  /** Returns the rows of the selected node, or all rows. */
  rows() {
    return this.data.rows.filter(({ node }) => this.view.node === null || node === this.view.node);
  }

  canTurn() {
    return new Set(this.data.rows.map(({ row }) => row)).size > 1;
  }

  toggleRows() {
    for (const panel of this.peers) panel.byRow = !panel.byRow;
    for (const panel of this.peers) panel.build();
  }

  /** Returns the values of a row in the unit of the panel. */
  valuesOf({ level, index }) {
    const { rows, values } = this.run.levels[level], intervals = values.length / rows;
    return values.subarray(index * intervals, (index + 1) * intervals).map((v) => v * this.panel.scale);
  }

  /** Puts curves into the unit that fits the largest value of all runs, which becomes `most`. */
  inUnit(curves) {
    const largest = (all) => all.reduce((m, c) => c.values.reduce((a, b) => Math.max(a, b), m), 0);
    const most = Math.max(largest(curves), ...this.peers.filter((p) => p !== this).map((p) =>
      largest(p.curvesToDraw())));
    const { unit, factor } = unitFor(this.panel.unit, most);
    this.unit = unit;
    this.most = most * factor;
    return factor === 1 ? curves : curves.map((c) => ({ ...c, values: c.values.map((v) => v * factor) }));
  }

  /** Returns the curves to draw: {name, row, color, values}. Sums exist for all nodes together only. */
  curvesToDraw() {
    const { data, panel, report } = this, whole = this.view.node === null;
    if (!this.byRow && whole) return data.sums.map((c) => ({ ...c, name: c.curve }));
    const rows = this.rows().map((r) => ({ ...r, values: this.valuesOf(r) }));
    const zeros = new Float32Array(this.run.intervals);
    if (!rows.length) return [{ name: "always 0", color: theme().soft, values: zeros }];
    if (!this.byRow && !panel.memory_nodes) return rows.map((r) => ({ ...r, name: r.curve }));
    const heat = rows.length > report.max_level_curves;
    const several = new Set(data.rows.map(({ curve }) => curve)).size > 1;
    return rows.map((r, i) => ({
      ...r, heat, name: several ? `${r.row}, ${r.curve}` : r.row,
      color: heat ? r.color : report.colors[i % report.colors.length],
    }));
  }

  build() {
    this.plot?.destroy();
    this.curves = this.inUnit(this.curvesToDraw());
    if (this.curves[0].heat) this.buildHeat();
    else this.buildCurves();
  }

  /** Returns the starts of the intervals and the end of the last one; curves are step functions. */
  dates() {
    const count = this.run.intervals;
    return Float64Array.from({ length: count + 1 },
      (_, i) => Math.min(i * this.run.interval_s, this.run.makespan_s));
  }

  buildCurves() {
    const { panel, run } = this, x = this.dates();
    const stepped = uPlot.paths.stepped({ align: 1 });
    const closed = (values) => Float64Array.from({ length: values.length + 1 },
      (_, i) => values[Math.min(i, values.length - 1)]);
    const series = this.curves.map((c) => ({ label: c.name, stroke: c.color, width: 1.6, paths: stepped,
      points: { show: false } }));
    const alone = this.curves.length === 1 && panel.curves === 1 && !this.curves[0].row; // the title names it
    this.setLegend(alone ? [] : this.curves.map((c) => swatch(c.color, c.name)),
      panel.against_workers ? `line: ${this.workers()} workers; shaded: fewer tasks ready than workers` : null);
    this.plot = new TimePlot(this.view, this.parent, {
      height: 150,
      data: [x, ...this.curves.map((c) => closed(c.values))],
      series,
      range: () => [0, this.top()],
      unit: this.unit,
      label: () => this.label(),
      paint: panel.against_workers ? (plot) => this.shade(plot) : null,
      over: panel.against_workers ? (plot) => this.workersLine(plot) : null,
      hover: (plot, at) => this.hoverCurves(at),
    });
  }

  /** Returns the upper end of the y axis. */
  top() {
    const workers = this.panel.against_workers ? Math.max(...this.peers.map((p) => p.workers())) * 1.15 : 0;
    return Math.max(this.most * 1.06, workers) || 1;
  }

  workers() {
    return this.view.node === null ? this.run.workers_total : this.run.nodes[this.view.node].workers;
  }

  shade(plot) {
    const ready = this.curves.find((c) => c.curve === "ready")?.values;
    if (!ready) return;
    const ctx = plot.ctx, workers = this.workers(), { top, height, left, width } = plot.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.fillStyle = theme().shade ?? "rgba(213, 94, 0, 0.14)";
    for (let i = 0; i < ready.length; ++i) {
      if (ready[i] >= workers) continue;
      let end = i;
      while (end + 1 < ready.length && ready[end + 1] < workers) ++end;
      const from = plot.valToPos(i * this.run.interval_s, "x", true);
      const to = plot.valToPos(Math.min((end + 1) * this.run.interval_s, this.run.makespan_s), "x", true);
      ctx.fillRect(from, top, to - from, height);
      i = end;
    }
    ctx.restore();
  }

  workersLine(plot) {
    const y = plot.valToPos(this.workers(), "y", true);
    dashedLine(plot, { y }, 1);
    const word = layout.margin > 60 ? " workers" : "";
    rowLabels(plot, [{ y, text: this.workers() + word }], { right: true });
  }

  hoverCurves(at) {
    if (!at) return this.hover.hide();
    const i = Math.floor(at.date / this.run.interval_s);
    const lines = this.curves.filter((c) => i >= 0 && i < c.values.length).map((c) =>
      [c.name, `${plain(c.values[i])} ${this.unit}`, c.color]);
    this.hover.lines(at, at.date, lines);
  }

  /** Returns the intervals within the selected or else the visible range of time. */
  span() {
    const { t0, t1 } = this.view.span, length = this.run.interval_s;
    return { first: Math.max(0, Math.floor(t0 / length)),
      last: Math.min(this.run.intervals, Math.max(Math.floor(t0 / length) + 1, Math.ceil(t1 / length))) };
  }

  label() {
    const { first, last } = this.span(), parts = [];
    for (const { name, values } of this.curves.slice(0, 8)) {
      const part = values.subarray(first, last);
      const mean = part.reduce((a, b) => a + b, 0) / Math.max(1, part.length);
      parts.push(`${name}: mean ${plain(mean)}, most ${plain(part.reduce((a, b) => Math.max(a, b), 0))}`);
    }
    return `${this.panel.title}${this.unit ? ` in ${this.unit}` : ""} over time; ${parts.join("; ")}`;
  }

  // ---- one row per node ----

  buildHeat() {
    const { panel, curves } = this;
    const maximum = this.most || 1;
    const heightOfRow = Math.max(3, Math.min(13, 330 / curves.length));
    const legend = new Map(curves.map((c) => [c.curve, c.color])), most = `${plain(maximum)} ${this.unit}`;
    this.setLegend([...legend].map(([name, color]) => scaleBar(color, name, most)), null);
    const rows = curves.map((c) => ({ values: c.values, color: rgbOf(c.color) }));
    this.plot = new TimePlot(this.view, this.parent, {
      height: Math.round(curves.length * heightOfRow) + 32,
      label: () => this.label(),
      paint: (plot) => {
        const { t0, t1 } = this.view, width = Math.max(1, Math.round(plot.bbox.width));
        const image = paintHeat(rows, maximum, { interval: this.run.interval_s, t0, t1, width });
        paintImage(plot, canvasOf(image));
      },
      over: (plot) => {
        const height = plot.bbox.height / curves.length, shown = new Set(), labels = [];
        curves.forEach((c, i) => {
          if (shown.has(c.row)) return;
          shown.add(c.row);
          const of = curves.filter((d) => d.row === c.row).length;
          labels.push({ y: plot.bbox.top + (i + of / 2) * height, text: c.row });
        });
        rowLabels(plot, labels);
      },
      hover: (plot, at) => {
        if (!at) return this.hover.hide();
        const c = curves[Math.floor(at.part * curves.length)], i = Math.floor(at.date / this.run.interval_s);
        if (c && i >= 0 && i < c.values.length) this.hover.lines(at, at.date,
          [[c.name, `${plain(c.values[i])} ${this.unit}`, c.color]]);
      },
    });
  }

  draw(changes) {
    if (changes.has("node")) this.build();
    else this.plot.draw(changes.has("size"));
  }
}

/**
 * The panel of node occupation: the share of the cores and of the GPUs of each node that runs each kernel.
 */
export class OccupationPanel {
  constructor(run, view, parent, hover) {
    Object.assign(this, { run, view, hover });
    this.palette = paletteOf(run.kernels);
    const count = run.occupation.length;
    this.rowHeight = count > 100 ? 8 : count > 16 ? 14 : count > 6 ? 24 : 46;
    this.plot = new TimePlot(view, parent, {
      height: count * this.rowHeight + 32,
      label: () => this.label(),
      paint: (plot) => this.paint(plot),
      over: (plot) => this.over(plot),
      hover: (plot, at) => this.hoverRow(at),
      click: (plot, at) => {
        const row = this.rows()[Math.floor(at.part * this.rows().length)];
        if (row) this.view.set("node", this.view.node === row.node ? null : row.node);
      },
    });
  }

  rows() {
    const size = this.run.kernels.length * this.run.intervals;
    const all = this.run.occupation.map((o, i) => ({ ...o, offset: i * size }));
    return all.filter((o) => this.view.node === null || o.node === this.view.node);
  }

  paint(plot) {
    const { left, top, width, height } = plot.bbox, ctx = plot.ctx, { t0, t1 } = this.view, rows = this.rows();
    if (width <= 0) return;
    const rowHeight = Math.max(4, Math.floor(height / rows.length));
    const image = paintStacks(rows.map((r) => r.offset), this.run.occupation_shares, {
      kernels: this.run.kernels.length,
      intervals: this.run.intervals,
      interval: this.run.interval_s,
      t0, t1, rowHeight,
      width: Math.max(1, Math.round(width)),
      palette: this.palette,
    });
    paintImage(plot, canvasOf(image));
    ctx.fillStyle = theme().faint;
    for (let r = 1; r < rows.length; ++r)
      if (rows[r].node !== rows[r - 1].node || height / rows.length > 10) ctx.fillRect(left,
        top + (r * height) / rows.length, width, 1);
  }

  over(plot) {
    const all = this.rows(), height = plot.bbox.height / all.length, many = this.run.nodes.length > 1;
    const groups = []; // of the rows with one label: those of a node where each has no room
    all.forEach((row, i) => {
      const one = height < rowRoom * devicePixelRatio && groups.at(-1)?.rows[0].node === row.node;
      if (one) groups.at(-1).rows.push(row);
      else groups.push({ first: i, rows: [row] });
    });
    const put = (textOf, options) => rowLabels(plot, groups.map(({ first, rows }) =>
      ({ y: plot.bbox.top + (first + rows.length / 2) * height, text: textOf(rows) })), options);
    const kind = ({ workers, gpu }) => `${workers} ${gpu ? "GPU" : "core"}${workers === 1 ? "" : "s"}`;
    put((rows) => (many ? `${this.run.nodes[rows[0].node].name}: ` : "") + rows.map(kind).join(", "));
    const word = layout.margin > 60 ? " busy" : "";
    put((rows) => rows.map((row) => percent(this.busy(row), 0)).join(", ") + word, { right: true });
  }

  /** Returns the busy share of a row in the selected or else the visible range; of the whole run exactly. */
  busy({ busy, offset }) {
    const { t0, t1 } = this.view.span, { kernels, intervals, interval_s: length } = this.run;
    if (t0 === 0 && t1 === this.run.makespan_s) return busy;
    let sum = 0;
    const from = t0 / length, to = Math.min(intervals, t1 / length);
    for (let i = Math.floor(from); i < to; ++i) {
      const part = Math.min(i + 1, to) - Math.max(i, from);
      for (let k = 0; k < kernels.length; ++k)
        sum += part * this.run.occupation_shares[offset + k * intervals + i];
    }
    return to > from ? sum / 255 / (to - from) : 0;
  }

  label() {
    const rows = this.rows().slice(0, 60).map((r) => `${this.run.nodes[r.node].name} ${r.gpu ? "GPUs"
      : "cores"} ${percent(this.busy(r), 0)}`);
    return `Busy shares of the nodes: ${rows.join(", ")}`;
  }

  hoverRow(at) {
    if (!at) return this.hover.hide();
    const rows = this.rows(), row = rows[Math.floor(at.part * rows.length)],
      i = Math.floor(at.date / this.run.interval_s);
    if (!row || i < 0 || i >= this.run.intervals) return this.hover.hide();
    const lines = [["busy in the range", percent(this.busy(row))]];
    this.run.kernels.forEach((kernel, k) => {
      const share = this.run.occupation_shares[row.offset + k * this.run.intervals + i] / 255;
      if (share > 0) lines.push([kernel.name, percent(share), kernel.color]);
    });
    this.hover.lines(at, at.date, lines,
      `node ${this.run.nodes[row.node].name}, ${row.workers} ${row.gpu ? "GPUs" : "cores"}`);
  }
}
