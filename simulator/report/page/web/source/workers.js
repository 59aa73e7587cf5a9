// The panels of the workers (space/time), of their states, and of the iterations.

import { drawSelection, drawPath } from "./arrows.js";
import { markGpus, nodeGroups, paletteOf, RowPanel, workerHeight, workerLabels, workerRows } from "./rows.js";
import { dashedLine, layout, rowRoom, theme } from "./plot.js";
import { percent, seconds } from "./format.js";

const dimmed = 0.13;

/**
 * Returns the opacity of tasks, which emphasizes the selected iteration or the critical chain; null: all
 * opaque.
 */
function taskWeight(run, view) {
  const tasks = run.tasks;
  if (!tasks) return null;
  if (run.found) return (i) => (run.found.is[i] ? 1 : dimmed);
  if (view.iteration !== null && tasks.k.length) return (i) => (tasks.k[i] === view.iteration ? 1 : dimmed);
  if (view.chain) return (i) => (tasks.onChain[i] ? 1 : 0.3);
  return null;
}

export function workersPanel(report, run, view, parent, hover) {
  const height = Math.min(520, Math.max(90, run.workers.length * 17));
  const panel = new RowPanel(view, parent, {
    height,
    rows: () => workerRows(run, view),
    items: () => run.tasks?.byWorker ?? null,
    cells: run.worker_cells,
    cellsEnd: run.makespan_s,
    cellOrder: run.rows.order,
    palette: paletteOf(run.kernels),
    rowHeight: (row, shown) => workerHeight(run, height, row, shown),
    beside: (plot, ctx) => markGpus(run, panel, plot, ctx),
    label: () => workersLabel(run, view),
    weight: () => taskWeight(run, view),
    labels: (plot) => workerLabels(run, panel, plot),
    rightLabels: (plot) => idleLabels(run, panel, plot, view),
    decorate: (plot, ctx) => {
      nodeLines(run, panel, plot, ctx);
      if (view.chain && run.tasks) drawPath(run, panel, plot, ctx, run.tasks.chain, theme().ink, 1.6);
      drawSelection(run, panel, plot, ctx, view);
    },
    hover: (found, at) => hover.task(run, found && found.place >= 0 ? run.tasks.byWorker.item[found.place]
      : -1, at, found, view.span),
    click: (found) => selectTask(run, view, found),
  });
  return panel;
}

function selectTask(run, view, found) {
  const task = found.place >= 0 ? run.tasks.byWorker.item[found.place] : -1;
  view.set("task", task < 0 || (view.task?.run === run && view.task.index === task) ? null
    : { run, index: task });
}

/** Returns idle shares of the GPUs and the cores of each node in the range; in one label where two have no room. */
function idleLabels(run, panel, plot, view) {
  const { first, last } = panel.rows(), wide = layout.margin > 60, out = [];
  for (const { node, gpu, first: from, last: to } of nodeGroups(run, first, last, run.mixed)) {
    const top = panel.band(plot, from).top, end = panel.band(plot, to - 1);
    const y = (top + end.top + end.height) / 2, share = run.statistics.idleShare(from, to, view.span);
    if (Number.isNaN(share)) continue;
    const word = !wide || !run.mixed ? "" : gpu ? "GPUs " : "cores ", before = out.at(-1);
    const label = { node, y, share: percent(share, 0), text: word + percent(share, 0) + (wide ? " idle" : "") };
    if (before?.node === node && y - before.y < rowRoom * devicePixelRatio)
      Object.assign(before, { y: (before.y + y) / 2, text: `${before.share}, ${label.share}` });
    else out.push(label);
  }
  return out;
}

function spanText(view) {
  const { t0, t1 } = view.span;
  return `${seconds(t0)} to ${seconds(t1)}`;
}

function workersLabel(run, view) {
  const { first, last } = workerRows(run, view);
  const idle = run.statistics.idleShare(first, last, view.span);
  return `Tasks of ${last - first} workers over time, ${spanText(view)}: ` +
    (Number.isNaN(idle) ? "outside the run" : `${percent(1 - idle)} busy, ${percent(idle)} idle`);
}

/**
 * Draws lines between nodes, the area bound of each node on its rows and that of all, and the makespan. The lines
 * have no rims: what is white beside them is idle time.
 */
function nodeLines(run, panel, plot, ctx) {
  const { first, last } = panel.rows(), ratio = devicePixelRatio;
  const x = (date) => plot.valToPos(date, "x", true);
  const mark = (date, top, bottom, color, width) => {
    ctx.fillStyle = color;
    ctx.fillRect(x(date) - (width / 2) * ratio, top, width * ratio, bottom - top);
  };
  for (const group of nodeGroups(run, first, last)) {
    const top = panel.band(plot, group.first).top, end = panel.band(plot, group.last - 1);
    const bottom = end.top + end.height, abe = run.nodes[group.node].abe_s;
    if (group.first > first && bottom - top >= 3 * ratio) {
      ctx.fillStyle = theme().faint;
      ctx.fillRect(plot.bbox.left, top - 0.5, plot.bbox.width, ratio);
    }
    if (abe && run.nodes.length > 1) mark(abe, top, bottom, theme().ink, 2);
  }
  if (run.abe_s) dashedLine(plot, { x: x(run.abe_s) }, 1.5);
  mark(run.makespan_s, plot.bbox.top, plot.bbox.top + plot.bbox.height, theme().warn, 1.5);
}

export function statesPanel(report, run, view, parent, hover) {
  const height = Math.min(360, Math.max(80, run.workers.length * 13));
  const panel = new RowPanel(view, parent, {
    height,
    rowHeight: (row, shown) => workerHeight(run, height, row, shown),
    beside: (plot, ctx) => markGpus(run, panel, plot, ctx),
    label: () => `What workers did besides tasks, ${spanText(view)}`,
    rows: () => workerRows(run, view),
    items: () => run.idleItems,
    cells: run.state_cells,
    cellsEnd: run.makespan_s,
    cellOrder: run.rows.order,
    palette: paletteOf(run.states),
    labels: (plot) => workerLabels(run, panel, plot),
    decorate: (plot, ctx) => nodeLines(run, panel, plot, ctx),
    hover: (found, at) => hover.state(run, found, at),
  });
  return panel;
}

export function iterationsPanel(report, run, view, parent, hover) {
  const rows = run.iterations.length;
  const panel = new RowPanel(view, parent, {
    height: Math.min(300, Math.max(110, rows * 12)),
    rows: () => ({ first: 0, last: rows }),
    items: () => run.tasks?.byIteration ?? (run.iteration_cells.rows ? null
      : { begin: new Uint32Array(rows + 1), item: [], start: [], end: [], color: [] }),
    cells: run.iteration_cells.rows ? run.iteration_cells : null,
    cellsEnd: run.makespan_s,
    palette: paletteOf(run.kernels),
    upwards: true,
    label: () => `Tasks of ${rows} iterations over time, ${spanText(view)}`,
    overlaps: true,
    whole: () => Math.max(2, (view.node === null ? run.workers.length : run.nodes[view.node].workers) / 4),
    weight: () => iterationWeight(run, view),
    labels: (plot) => iterationLabels(run, panel, plot),
    decorate: (plot, ctx) => iterationLines(run, panel, plot, ctx, view),
    hover: (found, at) => hover.iteration(run, found && found.row >= 0 ? run.iterations[found.row] : null, at),
    click: (found, row) => row >= 0 && view.set("iteration", view.iteration === run.iterations[row][0] ? null
      : run.iterations[row][0]),
  });
  return panel;
}

function iterationWeight(run, view) {
  const tasks = run.tasks;
  if (!tasks) return null;
  if (view.iteration !== null) return (i) => (tasks.k[i] === view.iteration ? 1 : 0.25);
  if (view.node !== null) return (i) => (run.workers[tasks.worker[i]].node === view.node ? 1 : 0);
  return null;
}

function iterationLabels(run, panel, plot) {
  const rows = run.iterations.length, step = [1, 2, 5, 10, 20, 50, 100, 200,
    500].find((s) => (plot.bbox.height * s) / rows >= 22 * devicePixelRatio) ?? 1000;
  const out = [];
  for (let r = rows - 1; r >= 0; --r) {
    if (r % step !== 0) continue;
    const { top, height } = panel.band(plot, r);
    out.push({ y: top + height / 2, text: "k = " + run.iterations[r][0] });
  }
  return out;
}

/** Draws three lines: the first, the median and the last end of the kernels of each iteration. */
function iterationLines(run, panel, plot, ctx, view) {
  const ratio = devicePixelRatio;
  for (const [column, dash, color, width] of [[2, [], theme().ink, 1.6], [3, [4, 3], theme().ink, 1.4],
    [4, [], theme().ink, 1.6]]) {
    for (const [style, line] of [[theme().paper, width + 2.4], [color, width]]) {
      ctx.beginPath();
      run.iterations.forEach((iteration, r) => {
        const { top, height } = panel.band(plot, r);
        ctx.lineTo(plot.valToPos(iteration[column], "x", true), top + height / 2);
      });
      ctx.setLineDash(style === color ? dash.map((d) => d * ratio) : []);
      ctx.strokeStyle = style;
      ctx.lineWidth = line * ratio;
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  const row = run.iterations.findIndex(([k]) => k === view.iteration);
  if (row < 0) return;
  const { top, height } = panel.band(plot, row);
  ctx.strokeStyle = theme().accent;
  ctx.lineWidth = 2 * ratio;
  ctx.strokeRect(plot.bbox.left, top - ratio, plot.bbox.width, height + 2 * ratio);
}
