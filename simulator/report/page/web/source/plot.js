// The time axis that all panels share, drawn by uPlot: axes, cursors, zoom by dragging.

import uPlot from "uplot";
import { element } from "./format.js";
import { listenToFingers } from "./gestures.js";
import { linearTicks, timeTicks } from "./ticks.js";

/** Pixels left and right of every panel: equal, so that the time axes align. */
export const layout = { gutter: 104, margin: 106 };
/** Pixels from one label of a row to the next. */
export const rowRoom = 12.5;
export const font = "11px system-ui, sans-serif";

/** Sets the margins for the widest of the labels left of rows. */
export function fitMargins(labels) {
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.font = font;
  const widest = labels.reduce((most, text) => Math.max(most, ctx.measureText(text).width), 0);
  const narrow = innerWidth < 600;
  layout.gutter = Math.round(Math.min(narrow ? 92 : 230, Math.max(narrow ? 56 : 76, widest + 24)));
  layout.margin = narrow ? 46 : 106;
}

let colors = {};
/** Reads the colours of the theme from the style sheet. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "faint", "grid", "paper", "accent", "after",
    "warn"]) colors[name] = style.getPropertyValue("--" + name).trim();
  return colors;
}
export const theme = () => colors;

/** Plots by their elements; the observer marks those that are visible or nearly so. */
const seen = new WeakMap(), shown = new Set();
/** True if the drag began with Shift; charts of a run are selected together. */
let shift = false;
const sight = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const plot = seen.get(entry.target);
      plot.visible = entry.isIntersecting;
      if (plot.visible && plot.stale) plot.draw();
    }
  },
  { rootMargin: "150px" },
);

/** Returns the options of a linear uPlot axis with round ticks. `ticks(from, to, pixels)` -> {values, labels}. */
export function roundTicks(ticks) {
  let last = null;
  return {
    splits: (plot, axis, from, to) => {
      const pixels = axis === 0 ? plot.bbox.width : plot.bbox.height;
      last = ticks(from, to, pixels / devicePixelRatio);
      return last.values;
    },
    values: (plot, values) => values.map((v) => last.labels[last.values.indexOf(v)] ?? ""),
  };
}

export const valueTicks = (from, to, height) => linearTicks(from, to, Math.max(3, height / 26));

/**
 * A plot on the common time axis. `paint(plot)` draws below the curves, `over(plot)` above them. `hover(plot,
 * at)` gets the position of the mouse, or null outside. `range`: of the y axis, whose title is `unit`; null if
 * the plot consists of painted rows. `label()`: what the plot shows, for screen readers.
 */
export class TimePlot {
  constructor(view, parent, { height, data, series = [], range = null, unit = null, label, paint, over, hover,
    click }) {
    Object.assign(this, { view, height, label, hover });
    this.parent = element("div", { class: "timeplot", role: "group", "aria-roledescription": "chart",
      tabindex: 0 });
    parent.append(this.parent);
    this.visible = false; // only visible plots are painted
    const ifSeen = (draw) => (draw ? [(plot) => (this.visible ? draw(plot) : (this.stale = true))] : []);
    const axis = { stroke: () => colors.ink, font, ticks: { show: true, stroke: () => colors.faint, width: 1,
      size: 4 } };
    const options = {
      width: this.width(),
      height,
      padding: [6, () => layout.margin, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: () => [view.t0, view.t1] },
        y: range ? { range } : { auto: false, range: () => [0, 1] },
      },
      axes: [ { ...axis, size: 26, gap: 3, ...roundTicks(timeTicks),
          grid: { show: !!range, stroke: () => colors.grid, width: 1 } },
        range ? { ...axis, size: () => layout.gutter - (unit ? 16 : 0), gap: 4, label: unit ?? undefined,
            labelSize: 16, labelGap: 0, labelFont: font, ...roundTicks(valueTicks),
            grid: { stroke: () => colors.grid, width: 1 } }
          : { ...axis, size: () => layout.gutter, splits: () => [], ticks: { show: false },
            grid: { show: false } },
      ],
      series: [{},
        ...(series.length ? series : [{ show: true, stroke: "transparent", points: { show: false } }])],
      cursor: {
        sync: { key: "time" + view.run.number, scales: ["x", null], setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
        bind: { dblclick: () => () => view.reset() },
      },
      hooks: {
        drawClear: ifSeen(paint),
        draw: [...ifSeen(over), ...ifSeen((plot) => this.band(plot))],
        setSelect: [(plot) => this.select(plot)],
      },
    };
    this.plot = new uPlot(options, data ?? [[0, view.run.makespan_s], [null, null]], this.parent);
    this.plot.root.querySelectorAll("canvas").forEach((canvas) => canvas.setAttribute("aria-hidden", "true"));
    this.listen(click);
    this.describe();
    seen.set(this.parent, this);
    shown.add(this);
    sight.observe(this.parent);
  }

  destroy() {
    sight.unobserve(this.parent);
    shown.delete(this);
    this.leave();
    this.plot.destroy();
    this.parent.remove();
  }

  width() {
    return Math.max(220, this.parent.clientWidth);
  }

  /** Tells screen readers what is shown now. */
  describe() {
    this.parent.setAttribute("aria-label", this.label?.() ?? "");
  }

  select(plot) {
    const { left, width } = plot.select;
    if (width < 3) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, "x"));
    if (shift) this.view.selectRange(from, to);
    else this.view.showTime(from, to);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** Draws the selected range of time. */
  band(plot) {
    const { range } = this.view;
    if (!range) return;
    const { ctx, bbox } = plot;
    const place = (date) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(date, "x", true)));
    const [from, to] = [place(range.t0), place(range.t1)];
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = colors.accent;
    ctx.globalAlpha = 0.12;
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
    ctx.globalAlpha = 1;
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeRect(from, bbox.top, to - from, bbox.height);
    ctx.restore();
  }

  at(event) {
    const box = this.plot.over.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return { x, y, date: this.plot.posToVal(x, "x"), part: y / box.height, event };
  }

  point(event) {
    this.pointer = { clientX: event.clientX, clientY: event.clientY };
    const at = this.at(this.pointer);
    this.hover?.(this.plot, at);
    this.pointOthers(at.x / this.plot.over.clientWidth);
  }

  /** Shows the place of the mouse in the other runs too, whose dates there differ if they are aligned. */
  pointOthers(part) {
    const others = [...shown].filter((p) => p.view.run !== this.view.run);
    const first = new Map(others.map((p) => [p.view.run, p])); // uPlot informs the others of its run
    for (const { plot } of first.values())
      plot.setCursor({ left: part === null ? -10 : part * plot.over.clientWidth, top: -10 }, true, true);
  }

  leave() {
    if (!this.pointer) return;
    this.pointer = null;
    this.pointOthers(null);
    this.hover?.(this.plot, null);
  }

  listen(click) {
    const over = this.plot.over, view = this.view;
    let down = null;
    over.addEventListener("mousemove", (event) => this.point(event));
    over.addEventListener("mouseleave", () => this.leave());
    over.addEventListener("mousedown", (event) => {
      down = event.clientX;
      shift = event.shiftKey;
    });
    over.addEventListener("click", (event) => {
      if (click && Math.abs(event.clientX - down) <= 3) click(this.plot, this.at(event));
    });
    listenToFingers(over, {
      pan: (share) => view.pan(share),
      zoom: (factor, x) => view.zoom(factor, this.plot.posToVal(x, "x")),
      tap: (event) => this.point(event),
    });
    over.addEventListener("wheel", (event) => {
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!sideways && !event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      if (sideways) view.pan((event.deltaX || event.deltaY) / over.getBoundingClientRect().width);
      else view.zoom(Math.exp(event.deltaY * 0.003), this.at(event).date);
    }, { passive: false });
  }

  /** Draws again. `resized`: the width may have changed. */
  draw(resized = false) {
    if (resized && this.parent.clientWidth > 0) this.plot.setSize({ width: this.width(), height: this.height });
    this.stale = !this.visible;
    if (this.stale) return;
    this.plot.batch(() => this.plot.setScale("x", { min: this.view.t0, max: this.view.t1 }));
    this.plot.redraw(false, true);
    // The box beside the mouse describes what is there now.
    if (this.pointer) this.hover?.(this.plot, this.at(this.pointer));
  }
}

/** Draws a dashed line across a chart: at x from top to bottom, or at y from left to right (canvas pixels). */
export function dashedLine({ ctx, bbox }, { x, y }, width) {
  const ratio = devicePixelRatio, { left, top } = bbox;
  ctx.save();
  ctx.beginPath();
  ctx.moveTo(x ?? left, y ?? top);
  ctx.lineTo(x ?? left + bbox.width, y ?? top + bbox.height);
  ctx.strokeStyle = colors.ink;
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.lineWidth = width * ratio;
  ctx.stroke();
  ctx.restore();
}

/** Fills a chart with an image and draws its frame. */
export function paintImage({ ctx, bbox }, image) {
  const { left, top, width, height } = bbox;
  ctx.save();
  ctx.fillStyle = colors.paper;
  ctx.fillRect(left, top, width, height);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(image, left, top, width, height);
  ctx.strokeStyle = colors.faint;
  ctx.strokeRect(left, top, width, height);
  ctx.restore();
}

/** Writes labels left or right of rows and skips those that would overlap. y: in canvas pixels. */
export function rowLabels(plot, labels, { right = false } = {}) {
  const ctx = plot.ctx, ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = right ? "left" : "right";
  ctx.textBaseline = "middle";
  const x = right ? plot.bbox.left + plot.bbox.width + 6 * ratio : plot.bbox.left - 11 * ratio;
  let last = -Infinity;
  for (const { y, text, color } of labels) {
    if (y - last < rowRoom * ratio) continue;
    last = y;
    ctx.fillStyle = color ?? colors.ink;
    ctx.fillText(clipped(ctx, text, ((right ? layout.margin - 8 : layout.gutter - 13)) * ratio), x, y);
  }
  ctx.restore();
}

/** Shortens a text in its middle, since names differ at their ends. */
function clipped(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const parts = [...text];
  for (let kept = parts.length - 1; kept > 1; --kept) {
    const head = Math.ceil(kept / 2), short = [...parts.slice(0, head), "…",
      ...parts.slice(parts.length - (kept - head))].join("");
    if (ctx.measureText(short).width <= width) return short;
  }
  return "…";
}
