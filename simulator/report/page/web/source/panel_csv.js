// The data behind each panel of a run as a table: [head, rows]. Of tasks and states, what is in the selected or
// else the visible range of time, on the workers that are shown.

import { visitItems } from "./raster.js";
import { workerRows } from "./rows.js";

const index = (values, i) => (!values.length || values[i] === 65535 ? null : values[i]);

/** Returns a row of each item in the range, on the workers that are shown: what `of(place)` gives, and dates. */
function itemRows(run, view, items, of) {
  const rows = [], { first, last } = workerRows(run, view);
  for (let row = first; items && row < last; ++row) {
    const worker = run.workers[run.rows.order[row]], where = [run.nodes[worker.node].name, worker.name];
    visitItems(items, { first: row, last: row + 1, ...view.span }, (_, place) => {
      const cells = of(place, where);
      if (cells) rows.push([...cells, items.start[place], items.end[place]]);
    });
  }
  return rows;
}

export function tasksTable(run, view) {
  const { tasks } = run;
  const rows = itemRows(run, view, tasks?.byWorker, (place, where) => {
    const i = tasks.byWorker.item[place];
    if (view.iteration !== null && tasks.k[i] !== view.iteration) return null;
    if (run.found && !run.found.is[i]) return null;
    return [tasks.number.length ? tasks.number[i] : i, run.kernels[tasks.kernel[i]].name, index(tasks.k, i),
      index(tasks.m, i), index(tasks.n, i), ...where];
  });
  return [["task", "kernel", "k", "m", "n", "node", "worker", "start_s", "end_s"], rows];
}

export function statesTable(run, view) {
  const rows = itemRows(run, view, run.idleItems, (place, where) =>
    [...where, run.states[run.idleItems.color[place]].name]);
  return [["node", "worker", "state", "start_s", "end_s"], rows];
}

export const iterationsTable = (run) =>
  [["k", "tasks", "first_end_s", "median_end_s", "last_end_s"], run.iterations];

export function levelsTable(run, view, panel) {
  const { first, last } = panel.span(), rows = [];
  for (let i = first; i < last; ++i) rows.push([i * run.interval_s, ...panel.curves.map((c) => c.values[i])]);
  return [["from_s", ...panel.curves.map((c) => `${c.name} (${panel.unit || "number"})`)], rows];
}

export function occupationTable(run, view, panel) {
  const rows = [], span = view.span, length = run.interval_s;
  for (const { node, gpu, workers, offset } of panel.rows())
    for (let i = 0; i < run.intervals; ++i) {
      if ((i + 1) * length <= span.t0 || i * length >= span.t1) continue;
      rows.push([run.nodes[node].name, gpu ? "GPU" : "core", workers, i * length,
        ...run.kernels.map((_, k) => run.occupation_shares[offset + k * run.intervals + i] / 255)]);
    }
  return [["node", "kind", "workers", "from_s", ...run.kernels.map((k) => k.name)], rows];
}

export const boundsTable = (run) =>
  [["name", "seconds", "meaning"], run.bounds.map((b) => [b.name, b.seconds, b.meaning])];

export function breakdownTable(run, view, panel) {
  return [["account", "part", "wait", "seconds"], panel.shown.flatMap(({ title, parts }) =>
    parts.map((p) => [title, p.name, !!p.wait, p.seconds]))];
}

export function mapTable(run) {
  const { nt, owner } = run.map, rows = [];
  owner.forEach((o, i) => o !== 65535 && rows.push([Math.floor(i / nt), i % nt, run.nodes[o].name]));
  return [["m", "n", "node"], rows];
}
