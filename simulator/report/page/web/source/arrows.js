// The selected task in the panel of the workers, with arrows from the tasks that it depends on and to those
// that depend on it, and paths of tasks.

import { predecessorsOf, successorsOf, waitedTask } from "./data.js";
import { theme } from "./plot.js";

function taskBox(run, panel, plot, task) {
  const tasks = run.tasks, row = run.rows.rowOf[tasks.worker[task]];
  const { first, last } = panel.rows();
  if (row < first || row >= last) return null;
  const { top, height } = panel.band(plot, row);
  const left = plot.valToPos(tasks.start[task] * tasks.tick_s, "x", true);
  const right = plot.valToPos((tasks.start[task] + tasks.duration[task]) * tasks.tick_s, "x", true);
  return { left, right, top, height, middle: top + height / 2 };
}

/** Draws tasks joined by lines. `path`: the last task first. */
export function drawPath(run, panel, plot, ctx, path, color, width) {
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

/** Draws an arrow with a rim that is visible on any colour. */
function arrow(ctx, from, to, color, dash) {
  const ratio = devicePixelRatio, angle = Math.atan2(to.y - from.y, to.x - from.x), head = 7 * ratio;
  for (const [style, width] of [[theme().paper, 3.5], [color, 1.5]]) {
    ctx.strokeStyle = ctx.fillStyle = style;
    ctx.lineWidth = width * ratio;
    ctx.setLineDash(style === color ? dash.map((d) => d * ratio) : []);
    ctx.beginPath();
    ctx.moveTo(from.x, from.y);
    ctx.lineTo(to.x, to.y);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(to.x, to.y);
  for (const side of [-0.4, 0.4])
    ctx.lineTo(to.x - head * Math.cos(angle + side), to.y - head * Math.sin(angle + side));
  ctx.closePath();
  ctx.fill();
}

/**
 * Draws the selected task, arrows from its predecessors (dashed) and to its successors, and the path back
 * along the tasks that each task waited for.
 */
export function drawSelection(run, panel, plot, ctx, view) {
  if (view.task?.run !== run || !run.tasks) return;
  const ratio = devicePixelRatio, task = view.task.index, own = taskBox(run, panel, plot, task);
  const path = [task];
  for (let t = waitedTask(run.tasks, task); t >= 0 && path.length < 200;
    t = waitedTask(run.tasks, t)) path.push(t);
  ctx.globalAlpha = 0.75;
  drawPath(run, panel, plot, ctx, path, theme().accent, 1.5);
  ctx.globalAlpha = 1;
  const start = (box) => ({ x: box.left, y: box.middle }), end = (box) => ({ x: box.right, y: box.middle });
  const around = (others, color, join) => {
    for (const other of others) {
      const box = taskBox(run, panel, plot, other);
      if (!box) continue;
      outline(ctx, box, color, 2.5 * ratio);
      if (own) join(box);
    }
  };
  around(predecessorsOf(run.tasks, task), theme().warn,
    (box) => arrow(ctx, end(box), start(own), theme().warn, [5, 3]));
  around(successorsOf(run.tasks, task), theme().after,
    (box) => arrow(ctx, end(own), start(box), theme().after, []));
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
