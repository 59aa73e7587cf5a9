// The time axis that all panels share, drawn by uPlot: axes, cursors, zoom by dragging.

import uPlot from "uplot";
import { plain } from "./format.js";

export const gutter = 104; // pixels left of every panel: equal, so that the time axes align
export const margin = 74; // pixels right of every panel

let colors = {};
/** Reads the colours of the theme from the style sheet. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "faint", "grid", "paper", "accent",
    "warn"]) colors[name] = style.getPropertyValue("--" + name).trim();
  return colors;
}
export function theme() {
  return colors;
}

/** Plots by their parent elements; the observer marks those that are visible or nearly so. */
const seen = new WeakMap();
const sight = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const plot = seen.get(entry.target);
      plot.visible = entry.isIntersecting;
      if (plot.visible && plot.stale) plot.draw();
    }
  },
  { rootMargin: "150px" },
);

/** Formats dates in the unit that fits, with as many digits as distinguish them. */
function timeTicks(plot, ticks) {
  const [unit, name] = plot.scales.x.max >= 2 ? [1, "s"] : plot.scales.x.max >= 2e-3 ? [1e-3, "ms"]
    : [1e-6, "µs"];
  const step = ticks.length > 1 ? (ticks[1] - ticks[0]) / unit : 1;
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  return ticks.map((t) => (t / unit).toFixed(digits) + (t === ticks[ticks.length - 1] ? " " + name : ""));
}

/**
 * A plot on the common time axis. `paint(plot)` draws below the curves, `over(plot)` above them. `hover(plot,
 * at)` gets the position of the mouse, or null outside. `range`: of the y axis; null if the plot consists of
 * painted rows.
 */
export class TimePlot {
  constructor(view, parent, { height, data, series = [], range = null, yValues = null, paint, over, hover,
    click }) {
    this.view = view;
    this.parent = parent;
    this.height = height;
    this.visible = false; // only visible plots are painted
    const ifSeen = (draw) => (draw ? [(plot) => (this.visible ? draw(plot) : (this.stale = true))] : []);
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: () => colors.ink, font, ticks: { show: true, stroke: () => colors.faint, width: 1,
      size: 4 } };
    const options = {
      width: this.width(),
      height,
      padding: [6, margin, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: () => [view.t0, view.t1] },
        y: range ? { range } : { auto: false, range: () => [0, 1] },
      },
      axes: [
        { ...axis, size: 26, gap: 3, space: 76, values: timeTicks,
          grid: { show: !!range, stroke: () => colors.grid, width: 1 } },
        range
          ? { ...axis, size: gutter, gap: 4, space: 26, values: yValues ?? ((_, v) => v.map(plain)),
            grid: { stroke: () => colors.grid, width: 1 } }
          : { ...axis, size: gutter, splits: () => [], ticks: { show: false }, grid: { show: false } },
      ],
      series: [{},
        ...(series.length ? series : [{ show: true, stroke: "transparent", points: { show: false } }])],
      cursor: {
        sync: { key: "time", scales: ["x", null], setSeries: false },
        drag: { x: true, y: false, setScale: false },
        points: { show: false },
        y: false,
        bind: { dblclick: () => () => view.reset() },
      },
      hooks: {
        drawClear: ifSeen(paint),
        draw: ifSeen(over),
        setSelect: [(plot) => this.select(plot)],
      },
    };
    this.plot = new uPlot(options, data ?? [[0, view.end], [null, null]], parent);
    this.listenToMouse(hover, click);
    seen.set(parent, this);
    sight.observe(parent);
  }

  destroy() {
    sight.unobserve(this.parent);
    this.plot.destroy();
  }

  width() {
    return Math.max(360, this.parent.clientWidth);
  }

  select(plot) {
    if (plot.select.width < 3) return;
    this.view.showTime(plot.posToVal(plot.select.left, "x"),
      plot.posToVal(plot.select.left + plot.select.width, "x"));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  listenToMouse(hover, click) {
    const over = this.plot.over;
    let down = null;
    over.addEventListener("mousemove", (event) => {
      if (!hover) return;
      const box = over.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      hover(this.plot, { x, y, date: this.plot.posToVal(x, "x"), part: y / box.height, event });
    });
    over.addEventListener("mouseleave", () => hover?.(this.plot, null));
    over.addEventListener("mousedown", (event) => (down = event.clientX));
    over.addEventListener("click", (event) => {
      if (!click || Math.abs(event.clientX - down) > 3) return;
      const box = over.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      click(this.plot, { date: this.plot.posToVal(x, "x"), part: y / box.height });
    });
    over.addEventListener(
      "wheel",
      (event) => {
        const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
        if (!sideways && !event.ctrlKey && !event.metaKey) return; // the page scrolls
        event.preventDefault();
        const box = over.getBoundingClientRect();
        if (sideways) this.view.pan((event.deltaX || event.deltaY) / box.width);
        else this.view.zoom(Math.exp(event.deltaY * 0.003),
          this.plot.posToVal(event.clientX - box.left, "x"));
      },
      { passive: false },
    );
  }

  /** Draws again. `resized`: the width may have changed. */
  draw(resized = false) {
    if (resized && this.parent.clientWidth > 0) this.plot.setSize({ width: this.width(),
      height: this.height });
    this.stale = !this.visible;
    if (this.stale) return;
    this.plot.batch(() => this.plot.setScale("x", { min: this.view.t0, max: this.view.t1 }));
    this.plot.redraw(false, true);
  }

  setData(data) {
    this.plot.setData(data, false);
  }
}

/** Writes labels left or right of rows and skips those that would overlap. y: in canvas pixels. */
export function rowLabels(plot, labels, { right = false } = {}) {
  const ctx = plot.ctx, ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = right ? "left" : "right";
  ctx.textBaseline = "middle";
  const x = right ? plot.bbox.left + plot.bbox.width + 8 * ratio : plot.bbox.left - 8 * ratio;
  let last = -Infinity;
  for (const { y, text, color, width } of labels) {
    if (y - last < 12.5 * ratio) continue;
    last = y;
    ctx.fillStyle = color ?? colors.ink;
    ctx.fillText(clipped(ctx, text, (width ?? (right ? margin : gutter) - 12) * ratio), x, y);
  }
  ctx.restore();
}

function clipped(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const parts = [...text];
  while (parts.length > 1 && ctx.measureText(parts.join("") + "…").width > width) parts.pop();
  return parts.join("") + "…";
}
