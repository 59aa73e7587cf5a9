// Statistics of a range of time, from the single tasks of a run. Those of the whole run are data of the page.

import { percent } from "./format.js";
import { placeOf } from "./raster.js";

/** Formats shares by kind of worker; `of(gpu)`: that of GPUs, of cores, of all (null); NaN: there are none. */
function byKind(of) {
  const kinds = [["cores", of(false)], ["GPUs", of(true)]].filter(([, share]) => !Number.isNaN(share));
  return kinds.length < 2 ? percent(of(null)) : kinds.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
}

/** Returns, for items sorted into rows, the sums of durations before each of them. */
function sumsOf(items) {
  const sums = new Float64Array(items.item.length + 1);
  for (let p = 0; p < items.item.length; ++p) sums[p + 1] = sums[p] + (items.end[p] - items.start[p]);
  return sums;
}

export class Statistics {
  constructor(run) {
    this.run = run;
    this.sums = null;
    // Busy times of the whole run by node and kind: of its result, or of the workers of a trace.
    this.uses = run.result?.nodes?.flatMap(({ workers, busy_s, gpu_workers: gpus = 0, gpu_busy_s: of_gpus = 0 }, node) =>
      [{ node, gpu: false, count: workers - gpus, busy_s: busy_s - of_gpus },
        { node, gpu: true, count: gpus, busy_s: of_gpus }]) ?? run.workers.map((w) => ({ ...w, count: 1 }));
  }

  /** Returns the seconds in [t0, t1] during which the worker of a row ran tasks. O(log n). */
  busy(row, t0, t1) {
    const { run } = this;
    if (!(t1 > t0)) return 0;
    if (!run.tasks) return this.busyOfCells(row, t0, t1);
    const items = run.tasks.byWorker;
    this.sums ??= sumsOf(items);
    const from = items.begin[row], to = items.begin[row + 1];
    const first = placeOf(items.end, from, to, t0, true), last = placeOf(items.start, from, to, t1, false);
    if (last <= first) return 0;
    return this.sums[last] - this.sums[first] - Math.max(0, t0 - items.start[first]) -
      Math.max(0, items.end[last - 1] - t1);
  }

  /** As above, from the cells of the picture. */
  busyOfCells(row, t0, t1) {
    const { worker_cells: cells, makespan_s: end, rows } = this.run, length = end / cells.columns;
    const from = Math.max(0, t0 / length), to = Math.min(cells.columns, t1 / length);
    let sum = 0;
    for (let c = Math.floor(from); c < to; ++c)
      sum += (Math.min(c + 1, to) - Math.max(c, from)) * cells.share[rows.order[row] * cells.columns + c];
    return (sum / 255) * length;
  }

  /** Returns the rows in [first, last) of GPUs or of cores; `gpu` null: all of them. */
  rows(first, last, gpu) {
    const { rows, workers } = this.run, all = Array.from({ length: last - first }, (_, i) => first + i);
    return gpu === null ? all : all.filter((row) => workers[rows.order[row]].gpu === gpu);
  }

  /** Returns the share of [t0, t1] in which the workers of rows [first, last) ran no task; `gpu`: as in `rows`. */
  idleShare(first, last, { t0, t1 }, gpu = null) {
    const rows = this.rows(first, last, gpu);
    if (!(t1 > t0) || !rows.length) return NaN;
    const busy = rows.reduce((sum, row) => sum + this.busy(row, t0, t1), 0);
    return Math.max(0, 1 - busy / (rows.length * (t1 - t0)));
  }

  /** Returns the busy share, or those of both kinds where there are both: "cores 92.1 %, GPUs 97.3 %". */
  busyText(first, last, span) {
    return byKind((gpu) => 1 - this.idleShare(first, last, span, gpu));
  }

  /** The same of the whole run, of all nodes or of one, exactly. */
  busyOfRun(node = null) {
    return byKind((kind) => {
      const of = this.uses.filter((u) => (node ?? u.node) === u.node && (kind ?? u.gpu) === u.gpu);
      const sum = (key) => of.reduce((all, use) => all + use[key], 0);
      return sum("busy_s") / (sum("count") * this.run.makespan_s);
    });
  }

  /**
   * Returns, by kernel, the tasks that run in [t0, t1] on rows [first, last), the seconds of them within it,
   * and the sum of their whole durations; only of iteration `k` if it is not null; `gpu`: as in `rows`. O(tasks
   * there).
   */
  kernels(first, last, { t0, t1 }, k = null, gpu = null) {
    const { run } = this, items = run.tasks.byWorker;
    const out = run.kernels.map(({ name, color }) => ({ name, color, tasks: 0, seconds: 0, whole: 0 }));
    for (const row of this.rows(first, last, gpu)) {
      const to = items.begin[row + 1];
      for (let p = placeOf(items.end, items.begin[row], to, t0, true); p < to && items.start[p] < t1; ++p) {
        if (k !== null && run.tasks.k[items.item[p]] !== k) continue;
        const kernel = out[items.color[p]];
        ++kernel.tasks;
        kernel.seconds += Math.min(t1, items.end[p]) - Math.max(t0, items.start[p]);
        kernel.whole += items.end[p] - items.start[p];
      }
    }
    return out;
  }

  /** Returns the seconds of each state within [t0, t1] on rows [first, last); `gpu`: as in `rows`. */
  states(first, last, { t0, t1 }, gpu = null) {
    const { run } = this, items = run.idleItems;
    const out = run.states.map(({ name, color }) => ({ name, color, seconds: 0 }));
    for (const row of this.rows(first, last, gpu))
      for (let p = items.begin[row]; p < items.begin[row + 1]; ++p)
        out[items.color[p]].seconds += Math.max(0, Math.min(t1, items.end[p]) - Math.max(t0, items.start[p]));
    return out;
  }

  /** Returns the seconds of each kernel on the critical chain within [t0, t1]. */
  chain({ t0, t1 }) {
    const { run } = this, { chain, start, duration, kernel, tick_s: tick } = run.tasks;
    const out = run.kernels.map(({ name, color }) => ({ name, color, seconds: 0 }));
    for (const t of chain) {
      const from = start[t] * tick;
      out[kernel[t]].seconds += Math.max(0, Math.min(t1, from + duration[t] * tick) - Math.max(t0, from));
    }
    return out;
  }
}
