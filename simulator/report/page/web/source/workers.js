// The panels of the workers (space/time), of their states, and of the iterations.

import { predecessorsOf, waitedTask } from "./data.js";
import { nodeGroups, paletteOf, RowPanel, workerLabels, workerRows } from "./rows.js";
import { theme } from "./plot.js";
import { percent } from "./format.js";

const dimmed = 0.13;

/**
 * Returns the opacity of tasks, which emphasizes the selected iteration or the critical chain; null: all
 * opaque.
 */
function taskWeight(run, view) {
  const tasks = run.tasks;
  if (!tasks) return null;
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
    weight: () => taskWeight(run, view),
    labels: (plot) => workerLabels(run, panel, plot),
    rightLabels: (plot) => idleLabels(run, panel, plot),
    decorate: (plot, ctx) => {
      nodeLines(run, panel, plot, ctx);
      if (view.chain && run.tasks) drawChain(run, panel, plot, ctx, view, hover);
      drawSelection(run, panel, plot, ctx, view);
    },
    hover: (found, at) => hover.task(run, found && found.place >= 0 ? run.tasks.byWorker.item[found.place]
      : -1, at, found),
    click: (found) => selectTask(run, view, found),
  });
  return panel;
}

function selectTask(run, view, found) {
  const task = found.place >= 0 ? run.tasks.byWorker.item[found.place] : -1;
  view.set("task", task < 0 || (view.task?.run === run && view.task.index === task) ? null
    : { run, index: task });
}

function idleLabels(run, panel, plot) {
  const { first, last } = panel.rows();
  return nodeGroups(run, first, last).map((group) => {
    const node = run.nodes[group.node];
    const top = panel.band(plot, group.first).top, end = panel.band(plot, group.last - 1);
    return { y: (top + end.top + end.height) / 2,
      text: `${percent(node.idle_s / (node.workers * run.makespan_s), 0)} idle` };
  });
}

/** Draws lines between nodes, the area bound of each node on its rows, and the makespan. */
function nodeLines(run, panel, plot, ctx) {
  const { first, last } = panel.rows(), ratio = devicePixelRatio;
  const x = (date) => plot.valToPos(date, "x", true);
  for (const group of nodeGroups(run, first, last)) {
    const top = panel.band(plot, group.first).top, end = panel.band(plot, group.last - 1);
    const bottom = end.top + end.height, abe = run.nodes[group.node].abe_s;
    if (group.first > first && bottom - top >= 3 * ratio) {
      ctx.fillStyle = theme().faint;
      ctx.fillRect(plot.bbox.left, top - 0.5, plot.bbox.width, ratio);
    }
    if (abe) mark(ctx, x(abe), top, bottom, theme().ink, 2 * ratio);
  }
  if (run.abe_s) dashed(ctx, x(run.abe_s), plot.bbox);
  mark(ctx, x(run.makespan_s), plot.bbox.top, plot.bbox.top + plot.bbox.height, theme().warn, 1.5 * ratio);
}

/** Draws the area bound of all workers together. */
function dashed(ctx, x, { top, height }) {
  const ratio = devicePixelRatio;
  for (const [color, width, dash] of [[theme().paper, 3.5, []], [theme().warn, 1.5, [6, 4]]]) {
    ctx.beginPath();
    ctx.setLineDash(dash.map((d) => d * ratio));
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.strokeStyle = color;
    ctx.lineWidth = width * ratio;
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

/** Draws a line with a rim that is visible on any colour. */
function mark(ctx, x, top, bottom, color, width) {
  ctx.fillStyle = theme().paper;
  ctx.fillRect(x - width / 2 - 1, top, width + 2, bottom - top);
  ctx.fillStyle = color;
  ctx.fillRect(x - width / 2, top, width, bottom - top);
}

function taskBox(run, panel, plot, task) {
  const tasks = run.tasks, row = run.rows.rowOf[tasks.worker[task]];
  const { first, last } = panel.rows();
  if (row < first || row >= last) return null;
  const { top, height } = panel.band(plot, row);
  const left = plot.valToPos(tasks.start[task] * tasks.tick_s, "x", true);
  const right = plot.valToPos((tasks.start[task] + tasks.duration[task]) * tasks.tick_s, "x", true);
  return { left, right, top, height, middle: top + height / 2 };
}

/** Draws the critical chain: its tasks, joined from each end to the next start. */
function drawChain(run, panel, plot, ctx, view) {
  drawPath(run, panel, plot, ctx, run.tasks.chain, theme().ink, 1.6);
}

/** Draws tasks joined by lines. `path`: the last task first. */
function drawPath(run, panel, plot, ctx, path, color, width) {
  const ratio = devicePixelRatio;
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.lineWidth = width * ratio;
  ctx.beginPath();
  let later = null;
  for (const task of path) {
    const box = taskBox(run, panel, plot, task);
    if (!box) {
      later = null;
      continue;
    }
    if (later) {
      ctx.moveTo(box.right, box.middle);
      ctx.lineTo(later.left, later.middle);
    }
    // Narrow tasks are shown by the lines between them only.
    if (box.right - box.left > 8 * ratio) ctx.rect(box.left, box.top + ratio, box.right - box.left,
      Math.max(box.height - 2 * ratio, ratio));
    later = box;
  }
  ctx.stroke();
}

/** Draws the selected task, its predecessors, and the path back along the tasks that each task waited for. */
function drawSelection(run, panel, plot, ctx, view) {
  if (view.task?.run !== run || !run.tasks) return;
  const ratio = devicePixelRatio, task = view.task.index, own = taskBox(run, panel, plot, task);
  const path = [task];
  for (let t = waitedTask(run.tasks, task); t >= 0 && path.length < 200;
    t = waitedTask(run.tasks, t)) path.push(t);
  ctx.globalAlpha = 0.75;
  drawPath(run, panel, plot, ctx, path, theme().accent, 1.5);
  ctx.globalAlpha = 1;
  for (const before of predecessorsOf(run.tasks, task)) {
    const box = taskBox(run, panel, plot, before);
    if (!box) continue;
    outline(ctx, box, theme().warn, 3 * ratio);
    if (!own) continue;
    ctx.setLineDash([5 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(box.right, box.middle);
    ctx.lineTo(own.left, own.middle);
    ctx.strokeStyle = theme().warn;
    ctx.lineWidth = 1.5 * ratio;
    ctx.stroke();
    ctx.setLineDash([]);
  }
  if (own) outline(ctx, own, theme().ink, 3.5 * ratio);
}

function outline(ctx, { left, right, top, height }, color, width) {
  const minimum = 4 * devicePixelRatio;
  const wide = Math.max(right - left, minimum), high = Math.max(height, minimum);
  for (const [style, line] of [[theme().paper, width + 2 * devicePixelRatio], [color, width]]) {
    ctx.strokeStyle = style;
    ctx.lineWidth = line;
    ctx.strokeRect(left, top + (height - high) / 2, wide, high);
  }
}

export function statesPanel(report, run, view, parent, hover) {
  const panel = new RowPanel(view, parent, {
    height: Math.min(360, Math.max(80, run.workers.length * 13)),
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
    items: () => run.tasks?.byIteration ?? (run.iteration_cells.rows ? null : emptyItems(rows)),
    cells: run.iteration_cells.rows ? run.iteration_cells : null,
    cellsEnd: run.makespan_s,
    palette: paletteOf(run.kernels),
    upwards: true,
    overlaps: true,
    whole: () => Math.max(2, (view.node === null ? run.workers.length : run.nodes[view.node].workers) / 4),
    weight: () => iterationWeight(run, view),
    labels: (plot) => iterationLabels(run, panel, plot),
    decorate: (plot, ctx) => iterationLines(run, panel, plot, ctx, view),
    hover: (found, at) => hover.iteration(run, found && found.row >= 0 ? run.iterations[found.row] : null,
      at),
    click: (found, row) => row >= 0 && view.set("iteration", view.iteration === run.iterations[row][0] ? null
      : run.iterations[row][0]),
  });
  return panel;
}

function emptyItems(rows) {
  return { begin: new Uint32Array(rows + 1), item: [], start: [], end: [], color: [] };
}

function iterationWeight(run, view) {
  const tasks = run.tasks;
  if (!tasks) return null;
  if (view.iteration !== null) return (i) => (tasks.k[i] === view.iteration ? 1 : 0.25);
  if (view.node !== null) return (i) => (run.workers[tasks.worker[i]].node === view.node ? 1 : 0);
  return null;
}

function iterationLabels(run, panel, plot) {
  const rows = run.iterations.length,
    step = [1, 2, 5, 10, 20, 50, 100, 200,
    500].find((s) => (plot.bbox.height * s) / rows >= 14 * devicePixelRatio) ?? 1000;
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
