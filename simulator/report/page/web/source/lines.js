// A chart of a sweep, drawn by uPlot: lines over one of its columns, confidence intervals, bounds, failed
// points.

import uPlot from "uplot";
import { font, roundTicks, theme } from "./plot.js";
import { linearTicks } from "./ticks.js";
import { plain, unitFor } from "./format.js";

const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** Returns colour and dash of the line of the n-th value, the same in all charts. */
export const styleOf = (colors, n) =>
  ({ color: colors[n % colors.length], dash: dashes[Math.floor(n / colors.length) % dashes.length] });

/** Returns true for four values or more such as 1, 2, 4, 8: each the same multiple of the one before. */
const growByOneFactor = (xs) =>
  xs.length >= 4 && xs[0] > 0 && xs.every((x, i) => i < 2 || Math.abs((xs[i - 2] * x) / xs[i - 1] ** 2 - 1) < 1e-9);

/** Returns the label of an axis up to `most`, in the unit that fits, and the values of one of it: {label, unit}. */
function inUnit(label, most) {
  const [, name, unit] = /^(.*) \(([^()]+)\)$/.exec(label) ?? [], shown = unit && unitFor(unit, most);
  return unit ? { label: `${name} (${shown.unit})`, unit: 1 / shown.factor } : { label, unit: 1 };
}

/**
 * `options`: {column (of x), yLabel, colors, logarithmic (null: x if its values grow by one factor), hover(event,
 * what), click(what), selected()}, where `what` is {curve, point} or {failed}.
 */
export class LinesPlot {
  constructor(parent, panel, options) {
    Object.assign(this, { parent, panel, options });
    this.build();
  }

  build() {
    this.plot?.destroy();
    const { panel, options } = this, { column, colors, logarithmic } = options;
    const xs = [...new Set([...panel.curves.flatMap((c) => c.points.map((p) => p.x)),
      ...panel.failed.map((f) => f.x)])].sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    const along = (pairs) => {
      const out = new Array(xs.length).fill(null);
      for (const [x, y] of pairs) if (place.has(x)) out[place.get(x)] = y;
      return out;
    };
    const data = [xs], series = [{}];
    if (panel.bound.length) {
      data.push(along(panel.bound));
      series.push({ stroke: () => theme().soft, width: 1.5, dash: [5, 4], spanGaps: true,
        points: { show: false } });
    }
    for (const curve of panel.curves) {
      const { color, dash } = styleOf(colors, curve.place);
      data.push(along(curve.points.map((p) => [p.x, p.y])));
      series.push({ stroke: color, fill: null, width: column.numeric ? 2 : 0, dash, spanGaps: true,
        points: { show: true, size: 7, stroke: color, fill: color } });
    }
    const ink = () => theme().ink, faint = () => theme().faint, grid = { stroke: () => theme().grid, width: 1 };
    const axis = { stroke: ink, font, labelFont: font, labelSize: 18, labelGap: 0, grid,
      ticks: { show: true, stroke: faint, width: 1, size: 4 } };
    const first = xs[0], last = xs[xs.length - 1], room = (last - first) * 0.03 || 0.5;
    const whole = xs.every(Number.isInteger) && column.numeric;
    const logX = column.numeric && first > 0 && (logarithmic ?? growByOneFactor(xs));
    const y = inUnit(options.yLabel, this.top());
    const logY = logarithmic && this.values().every((v) => v > 0);
    this.plot = new uPlot({
      width: this.width(), height: 276, padding: [10, 16, 0, 0], legend: { show: false },
      scales: {
        x: logX ? { time: false, distr: 3, log: 2, range: (_, a, b) => (a === first && b === last
          ? [a / (b / a) ** 0.03, b * (b / a) ** 0.03] : [a, b]) }
          : { time: false, range: (_, a, b) => (a === first && b === last ? [a - room, b + room] : [a, b]) },
        y: logY ? { distr: 3 } : { range: (_, a, b) => [Math.min(0, a ?? 0), this.top()] },
      },
      axes: [ column.numeric ? { ...axis, size: 30, label: column.label, ...roundTicks((from, to, width) =>
            sweptTicks(xs, from, to, width, logX) ?? linearTicks(from, to, width / 52, { whole })) }
          : { ...axis, size: 30, label: column.label, splits: () => xs,
            values: (_, ticks) => ticks.map((x) => clip(String(column.different[x] ?? ""),
            Math.max(6, Math.floor(this.width() / 8 / Math.max(1, xs.length))))) },
        { ...axis, size: 62, space: 30, label: y.label, ...(logY
          ? { values: (_, ticks) => ticks.map((v) => (v === null ? null : short(v / y.unit))) }
          : roundTicks((from, to, height) => linearTicks(from, to, Math.max(3, height / 26), { unit: y.unit }))) },
      ],
      series,
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false, x: false },
      hooks: { draw: [(plot) => this.over(plot)] },
    }, data, this.parent);
    this.plot.over.addEventListener("mousemove", (event) => options.hover(event, this.near(event)));
    this.plot.over.addEventListener("mouseleave", () => options.hover(null));
    let down = 0;
    this.plot.over.addEventListener("mousedown", (event) => (down = event.clientX));
    this.plot.over.addEventListener("click", (event) => {
      const what = this.near(event);
      if (what && Math.abs(event.clientX - down) < 4) options.click(what);
    });
  }

  width() {
    return Math.max(240, this.parent.clientWidth);
  }

  values() {
    return [...this.panel.curves.flatMap((c) => c.points.map((p) => p.y)),...this.panel.bound.map(([, y]) => y)];
  }

  /** Returns the upper end of the y axis, above all marks, bars and bounds. */
  top() {
    const ends = this.panel.curves.flatMap((c) => c.points.map(({ y, spread }) => spread.high ?? y));
    return Math.max(0, ...ends, ...this.values()) * 1.05 || 1;
  }

  /**
   * Returns the item nearest to the mouse, at most 24 pixels away, with the points that it hides as `others`.
   */
  near(event) {
    const box = this.plot.over.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const found = [];
    const look = (px, py, what) => found.push({ px, py, distance: (px - x) ** 2 + (py - y) ** 2, what });
    for (const curve of this.panel.curves)
      for (const point of curve.points) look(this.plot.valToPos(point.x, "x"),
        this.plot.valToPos(point.y, "y"), { curve, point });
    for (const failed of this.panel.failed) look(this.plot.valToPos(failed.x, "x"),
      this.plot.over.clientHeight - 7, { failed });
    const best = found.reduce((a, b) => (b.distance < a.distance ? b : a), { distance: 24 * 24 });
    if (!best.what) return null;
    const hidden = found.filter((f) => f !== best && f.what.point && (f.px - best.px) ** 2 +
      (f.py - best.py) ** 2 <= 9);
    return { ...best.what, others: hidden.map((f) => f.what) };
  }

  over(plot) {
    const ctx = plot.ctx, ratio = devicePixelRatio, { left, top, width, height } = plot.bbox;
    const at = (x, y) => [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
    ctx.save();
    ctx.beginPath();
    ctx.rect(left - 6 * ratio, top - 6 * ratio, width + 12 * ratio, height + 12 * ratio);
    ctx.clip();
    ctx.lineWidth = 1.3 * ratio;
    const selected = this.options.selected();
    for (const { place, points } of this.panel.curves) {
      ctx.strokeStyle = styleOf(this.options.colors, place).color;
      for (const { x, y, spread, rows } of points) {
        // uPlot draws marks at whole pixels.
        if (spread.count > 1) this.bar(ctx, Math.round(at(x, y)[0]), at(x, spread.low)[1], at(x,
          spread.high)[1], 4 * ratio);
        if (rows.includes(selected)) this.ring(ctx, at(x, y), ratio);
      }
    }
    for (const { x, place, row } of this.panel.failed) {
      const px = plot.valToPos(x, "x", true), py = top + height - 7 * ratio, arm = 4 * ratio;
      ctx.strokeStyle = styleOf(this.options.colors, place).color;
      ctx.lineWidth = 2 * ratio;
      ctx.beginPath();
      ctx.moveTo(px - arm, py - arm), ctx.lineTo(px + arm, py + arm), ctx.moveTo(px - arm, py + arm),
        ctx.lineTo(px + arm, py - arm);
      ctx.stroke();
      if (row === selected) this.ring(ctx, [px, py], ratio);
    }
    ctx.restore();
  }

  bar(ctx, x, low, high, arm) {
    ctx.beginPath();
    ctx.moveTo(x, low), ctx.lineTo(x, high);
    for (const end of [low, high]) ctx.moveTo(x - arm, end), ctx.lineTo(x + arm, end);
    ctx.stroke();
  }

  ring(ctx, [x, y], ratio) {
    ctx.save();
    ctx.strokeStyle = theme().ink;
    ctx.lineWidth = 2 * ratio;
    ctx.beginPath();
    ctx.arc(x, y, 8 * ratio, 0, 2 * Math.PI);
    ctx.stroke();
    ctx.restore();
  }

  draw(resized) {
    if (resized) this.plot.setSize({ width: this.width(), height: 276 });
    else this.plot.redraw(false, true);
  }
}

/**
 * Returns ticks at the swept values in [from, to], each second, fourth, ... of them if there is no room for all;
 * null: for a linear axis there is none.
 */
function sweptTicks(xs, from, to, width, logarithmic) {
  const values = xs.filter((x) => x >= from && x <= to), at = logarithmic ? Math.log : (x) => x;
  const pixels = width / (at(to) - at(from)), room = (x) => 7 * short(x).length + 10;
  const fits = (of) => of.every((x, i) => i === 0 || (at(x) - at(of[i - 1])) * pixels >= room(x));
  let shown = values;
  while (logarithmic && !fits(shown)) shown = shown.filter((_, i) => i % 2 === 0);
  return values.length > 1 && fits(shown) ? { values: shown, labels: shown.map(short) } : null;
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return value.toExponential(1).replace(/\.0e/,
    "e").replace("e+", "e");
  return size >= 1000 ? plain(value) : String(Number(value.toPrecision(4)));
}

function clip(text, length) {
  const parts = [...text];
  return parts.length > length ? parts.slice(0, length - 1).join("") + "…" : text;
}
