// The points of a sweep: its table, and curves of it.

import { bytes, percent, plain, seconds, trimmed } from "./words.js";

/** A column of the table: values of all points, and for each point the place of its value among the different ones. */
class Column {
  constructor(json) {
    this.name = json.name;
    this.kind = json.kind;
    this.numeric = !!json.numbers;
    this.values = json.numbers ?? json.texts.of.map((place) => (place < 0 ? null : json.texts.values[place]));
    this.places = new Int32Array(this.values.length);
    this.different = []; // in the order of the points
    const known = new Map();
    this.values.forEach((value, i) => {
      if (value !== null && !known.has(value)) known.set(value, this.different.push(value) - 1);
      this.places[i] = value === null ? -1 : known.get(value);
    });
    this.varies = this.different.length > 1 || (this.different.length === 1 && this.values.includes(null));
  }

  text(i) {
    return this.values[i] === null ? "" : String(this.values[i]);
  }
}

/** A value in the unit that its column's name tells. */
export function wordsOf(name, value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (/_s$/.test(name)) return seconds(value);
  if (/_bytes$|^bytes_/.test(name)) return bytes(value);
  if (/^efficiency$|^utilization/.test(name)) return percent(value, 2);
  return Number.isInteger(value) ? plain(value) : trimmed(value, 5);
}

export class Points {
  constructor(sweep) {
    this.columns = sweep.columns.map((json) => new Column(json));
    this.byName = new Map(this.columns.map((c) => [c.name, c]));
    this.count = sweep.points;
    this.quantiles = sweep.quantiles;
    this.parameters = this.columns.filter((c) => c.kind === "parameter");
    this.all = Uint32Array.from({ length: this.count }, (_, i) => i);
  }

  column(name) {
    return this.byName.get(name);
  }

  value(name, i) {
    return this.byName.get(name)?.values[i] ?? null;
  }

  done(i) {
    return this.value("status", i) === "done";
  }

  /** Mean, deviation and 95 % confidence interval, as spread.cpp computes them; quartiles as the median of halves does. */
  spread(values) {
    const count = values.length;
    let mean = 0;
    for (const v of values) mean += v - values[0];
    mean = values[0] + mean / count;
    if (count < 2) return { mean, count, values };
    let squares = 0;
    for (const v of values) squares += (v - mean) * (v - mean);
    const deviation = Math.sqrt(squares / (count - 1));
    const half = (this.quantiles[count] * deviation) / Math.sqrt(count);
    const sorted = [...values].sort((a, b) => a - b);
    return { mean, count, values, deviation, low: mean - half, high: mean + half,
      quartiles: [0, 0.25, 0.5, 0.75, 1].map((share) => quantile(sorted, share)) };
  }

  /** Whether rows that agree in the columns `by` agree in `column`. */
  settled(rows, by, column) {
    const seen = new Map();
    for (const r of rows) {
      const key = keyOf(by, r), place = column.places[r];
      if (!seen.has(key)) seen.set(key, place);
      else if (seen.get(key) !== place) return false;
    }
    return true;
  }

  /** Parameters that tell the panels apart: those that x and series do not settle (panels_of in panels.cpp). */
  panelColumns(rows, x, series) {
    const by = series ? [x, series] : [x];
    const fixed = this.parameters.filter((c) => c !== x && c !== series && !this.settled(rows, by, c));
    for (let i = 0; i < fixed.length; ) {
      if (this.settled(rows, [...by, ...fixed.filter((c) => c !== fixed[i])], fixed[i])) fixed.splice(i, 1);
      else ++i;
    }
    return fixed;
  }

  /**
   * Panels of a metric: {where, curves: [{name, place, points: [{x, y, rows, spread}]}], failed: [{x, place, row}], bound}.
   * Points of a curve are in the order of x; x that is text is the place among the different texts.
   */
  panels(rows, { x, y, series }) {
    const at = this.column(x), by = this.column(series) ?? null;
    const metric = this.column(y === "speedup" ? "makespan_s" : y);
    if (!at || !metric) return [];
    const place = (r) => (at.numeric ? at.values[r] : at.places[r]);
    const known = [...rows].filter((r) => at.places[r] >= 0);
    const used = known.filter((r) => typeof metric.values[r] === "number");
    const fixed = this.panelColumns(used, at, by);
    const panels = new Map();
    const panelOf = (r) => {
      const key = keyOf(fixed, r);
      if (!panels.has(key)) panels.set(key, { fixed: fixed.map((c) => [c.name, c.text(r)]), curves: new Map(), failed: [], least: new Map() });
      return panels.get(key);
    };
    for (const r of used) {
      const { curves } = panelOf(r), name = by ? by.places[r] : 0;
      if (!curves.has(name)) curves.set(name, { name: by ? by.text(r) : "", place: Math.max(0, name), at: new Map() });
      const curve = curves.get(name);
      if (!curve.at.has(place(r))) curve.at.set(place(r), []);
      curve.at.get(place(r)).push(r);
    }
    for (const r of known) {
      if (this.done(r)) continue;
      const panel = panelOf(r);
      panel.failed.push({ x: place(r), place: by ? Math.max(0, by.places[r]) : 0, row: r });
    }
    return [...panels.values()].map((panel) => this.finished(panel, metric, y));
  }

  finished(panel, metric, y) {
    const curves = [...panel.curves.values()].map(({ name, place, at }) => ({
      name, place,
      points: [...at].sort(([a], [b]) => a - b).map(([x, rows]) => {
        const spread = this.spread(rows.map((r) => metric.values[r]));
        return { x, y: spread.mean, rows, spread };
      }),
    }));
    const bound = boundOf(this, curves, y);
    if (y === "speedup") this.turnIntoSpeedup(curves);
    return { where: panel.fixed.map(([name, text]) => `${name} ${text || "–"}`).join(", "), curves, failed: panel.failed, bound };
  }

  /** Over the best curve at the least x. */
  turnIntoSpeedup(curves) {
    const first = Math.min(...curves.map((c) => c.points[0].x));
    const best = Math.min(...curves.filter((c) => c.points[0].x === first).map((c) => c.points[0].y));
    for (const { points } of curves)
      for (const p of points) {
        p.spread = this.spread(p.spread.values.map((v) => best / v));
        p.y = p.spread.mean;
      }
  }
}

/** Linear between the values. */
function quantile(sorted, share) {
  const at = share * (sorted.length - 1), below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

function keyOf(columns, row) {
  let key = "";
  for (const c of columns) key += c.places[row] + "\n";
  return key;
}

/** What no schedule beats at each x, over all curves: the least time, the highest rate; [[x, y], ...]. */
function boundOf(points, curves, y) {
  const of = {
    makespan_s: (r) => points.value("bound_s", r),
    gflops: (r) => (points.value("bound_s", r) === null ? null : (points.value("gflops", r) * points.value("makespan_s", r)) / points.value("bound_s", r)),
    efficiency: (r) => (points.value("bound_s", r) === null ? null : 1),
  }[y];
  if (!of) return [];
  const better = y === "makespan_s" ? Math.min : Math.max, best = new Map();
  for (const curve of curves)
    for (const { x, rows } of curve.points) {
      const values = rows.map(of).filter((v) => typeof v === "number");
      if (!values.length) continue;
      const mean = points.spread(values).mean;
      best.set(x, best.has(x) ? better(best.get(x), mean) : mean);
    }
  return [...best].sort(([a], [b]) => a - b);
}
