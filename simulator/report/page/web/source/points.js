// The points of a sweep: its table and its charts. All statistics are data of the page; this file only
// selects.

import { bytes, percent, plain, seconds, trimmed } from "./format.js";

/** A column of the table. `places`: the index of each point's value among the different values; -1: none. */
class Column {
  constructor(json) {
    this.name = json.name;
    this.label = json.label;
    this.kind = json.kind;
    this.numeric = !!json.numbers;
    this.values = json.numbers ?? json.texts.of.map((place) => (place < 0 ? null : json.texts.values[place]));
    this.different = [...new Set(this.values.filter((value) => value !== null))];
      // in the order of the points
    const places = new Map(this.different.map((value, place) => [value, place]));
    this.places = Int32Array.from(this.values, (value) => places.get(value) ?? -1);
    this.varies = this.different.length + this.values.includes(null) > 1;
  }

  text(i) {
    return this.values[i] === null ? "" : String(this.values[i]);
  }
}

/** Formats a value in the unit that the name of its column implies. */
export function formatted(name, value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (/_s$/.test(name)) return seconds(value);
  if (/_bytes$|^bytes_/.test(name)) return bytes(value);
  if (/^efficiency$|^utilization/.test(name)) return percent(value, 2);
  return Number.isInteger(value) ? plain(value) : trimmed(value, 5);
}

export class Points {
  constructor(sweep) {
    this.sweep = sweep;
    this.columns = sweep.columns.map((json) => new Column(json));
    this.nodesOnce(sweep);
    // A key whose label is that of another column keeps its name beside it.
    for (const c of this.columns)
      if (c.name.includes("/") && this.columns.some((d) => d !== c && !d.same && !c.same && d.label === c.label))
        c.label += ` (${c.name})`;
    this.byName = new Map(this.columns.map((c) => [c.name, c]));
    this.count = sweep.points;
    this.groups = sweep.groups; // rows of the replicas of each combination of parameters
    this.metrics = new Map(sweep.metrics.map((m) => [m.name, m]));
    this.parameters = this.columns.filter((c) => c.kind === "parameter" && !c.same);
    this.all = Uint32Array.from({ length: this.count }, (_, i) => i);
  }

  /**
   * Of the columns that state the nodes ("platform/nodes", "nodes", "nodes_TYPE") and tell the same points apart, one
   * stays: an axis that was asked for, or the number. The others are marked as the `same`.
   */
  nodesOnce({ x, series }) {
    const rank = (c) => 4 * [x, series].includes(c.name) + 2 * (c.name === "nodes") + c.numeric;
    const stating = this.columns.filter((c) => c.varies && /^nodes(_|$)|^platform\/nodes$/.test(c.name));
    const kept = new Map(); // by what they tell apart
    for (const c of stating.sort((a, b) => rank(b) - rank(a))) {
      const key = c.places.join();
      if (!kept.has(key)) kept.set(key, c);
      else c.same = kept.get(key);
      if (c.same && c.kind === "parameter") c.same.kind = "parameter";
    }
  }

  /** Returns the label of a column or metric; units are in parentheses. */
  label(name) {
    return this.metrics.get(name)?.label ?? this.byName.get(name)?.label ?? name;
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

  /**
   * Returns mean, its 95 % confidence interval and quartiles of a group, times `scale`; null if it has no value.
   */
  summary(metric, group, scale = 1) {
    const { mean, spread } = this.metrics.get(metric) ?? {};
    if (!mean || Number.isNaN(mean[group])) return null;
    const count = spread && !Number.isNaN(spread[7 * group]) ? this.groups[group].length : 1;
    if (count === 1) return { mean: mean[group] * scale, count };
    const [low, high, ...quartiles] = spread.subarray(7 * group, 7 * group + 7).map((v) => v * scale);
    return { mean: mean[group] * scale, count, low, high, quartiles };
  }

  /**
   * Returns the charts of a metric, with the points that `kept(row)` leaves: {where, curves, failed, bound},
   * where curves: [{name, place, points: [{x, y, group, rows, spread}]}], failed: [{x, place, row}], bound:
   * [[x, y]]. If x is text, its index among the different texts.
   */
  charts({ x, y, series }, kept) {
    const at = this.column(x), by = this.column(series);
    const xOf = (row) => (at.numeric ? at.values[row] : at.places[row]);
    const placeOf = (row) => (by ? Math.max(0, by.places[row]) : 0);
    const first = (group) => this.groups[group][0];
    const chartOf = ({ where, lines, failed, bounds, baseline }) => {
      // The metric of a speed-up is 1 / makespan, because its baseline differs from chart to chart.
      const scale = y === "speedup" ? baseline : 1;
      const pointOf = (group) => {
        const spread = this.summary(y, group, scale);
        return spread && { x: xOf(first(group)), y: spread.mean, group, rows: this.groups[group], spread };
      };
      const curveOf = (line) => ({
        name: by ? by.text(first(line[0])) : "", place: placeOf(first(line[0])),
        points: line.filter((g) => kept(first(g))).map(pointOf).filter((point) => point !== null),
      });
      const curves = lines.map(curveOf).filter((curve) => curve.points.length);
      const shown = new Set(curves.flatMap((curve) => curve.points.map((point) => point.x)));
      const bound = (bounds[y] ?? []).map((g) => [xOf(first(g)), this.metrics.get(y).bound[g]]);
      return {
        where, curves, bound: bound.filter(([x]) => shown.has(x)),
        failed: failed.filter(kept).map((row) => ({ x: xOf(row), place: placeOf(row), row })),
      };
    };
    const charts = this.sweep.charts[x][series].charts.map(chartOf);
    return charts.filter(({ curves, failed }) => curves.length || failed.length);
  }
}
