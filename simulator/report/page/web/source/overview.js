// The strip below the bar: kernels of all workers over the whole run, with the visible range, which can be
// moved and stretched.

import { paletteOf } from "./raster.js";
import { theme } from "./plot.js";
import { element, seconds } from "./format.js";

const high = 22; // pixels of each run
const between = 3; // pixels between runs
const grip = 7; // pixels around an edge that move it

export class Overview {
  constructor(runs, view) {
    this.view = view;
    this.runs = runs.filter((run) => run.occupation.length || run.levels.running_tasks);
    this.canvas = element("canvas", { class: "overview", role: "img",
      "aria-label": "Busy workers over the whole run, with the visible range" });
    this.shapes = this.runs.map((run) => this.shapeOf(run));
    let moving = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      moving = this.grab(event);
      moving(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (moving) moving(event);
      else this.canvas.style.cursor = this.edgeAt(event) ? "ew-resize" : "grab";
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (moving = null));
    this.canvas.addEventListener("dblclick", () => view.reset());
  }

  /** Returns the share of all workers that run each kernel: [intervals][kernels], or the busy share only. */
  shapeOf(run) {
    const { occupation, occupation_shares: shares, intervals, kernels } = run;
    const workers = occupation.reduce((sum, o) => sum + o.workers, 0);
    if (!workers) {
      const { rows, values } = run.levels.running_tasks, out = new Float32Array(intervals);
      for (let i = 0; i < values.length; ++i) out[i % intervals] += values[i] / run.workers_total;
      return { layers: rows ? [out] : [], palette: [[120, 130, 140]] };
    }
    const layers = kernels.map(() => new Float32Array(intervals));
    occupation.forEach((o, row) => {
      for (let k = 0; k < kernels.length; ++k)
        for (let i = 0; i < intervals; ++i)
          layers[k][i] += (shares[(row * kernels.length + k) * intervals + i] / 255) * (o.workers / workers);
    });
    return { layers, palette: paletteOf(kernels) };
  }

  dateAt(event) {
    const box = this.canvas.getBoundingClientRect(), { start, length } = this.view;
    return start + ((event.clientX - box.left) / box.width) * length;
  }

  edgeAt(event) {
    const box = this.canvas.getBoundingClientRect(), date = this.dateAt(event);
    const near = (grip * this.view.length) / box.width;
    if (Math.abs(date - this.view.t0) < near) return "t0";
    return Math.abs(date - this.view.t1) < near ? "t1" : null;
  }

  /** Returns what moving the pointer does from here. */
  grab(event) {
    const { view } = this, date = this.dateAt(event), edge = this.edgeAt(event), { t0, t1 } = view;
    if (edge === "t0") return (e) => view.showTime(Math.min(this.dateAt(e), t1), t1);
    if (edge === "t1") return (e) => view.showTime(t0, Math.max(this.dateAt(e), t0));
    const inside = date > t0 && date < t1, offset = inside ? date - t0 : (t1 - t0) / 2;
    return (e) => view.showTime(this.dateAt(e) - offset, this.dateAt(e) - offset + (t1 - t0));
  }

  draw() {
    if (!this.runs.length) return;
    const { canvas, view } = this, ratio = devicePixelRatio, width = Math.max(1, canvas.clientWidth);
    const all = high * this.runs.length + between * (this.runs.length - 1);
    canvas.style.height = all + "px";
    const size = [Math.round(width * ratio), Math.round(all * ratio)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const ctx = canvas.getContext("2d");
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    const key = [canvas.width, canvas.height, view.start, view.end, ...this.runs.map((r) => r.shift)].join();
    if (this.painted?.key !== key) {
      const strip = document.createElement("canvas");
      [strip.width, strip.height] = [canvas.width, canvas.height];
      this.runs.forEach((run, r) => this.drawRun(strip.getContext("2d"), run, this.shapes[r], r));
      this.painted = { key, strip };
    }
    ctx.drawImage(this.painted.strip, 0, 0);
    const x = (date) => ((date - view.start) / view.length) * canvas.width;
    ctx.fillStyle = theme().paper;
    ctx.globalAlpha = 0.68;
    ctx.fillRect(0, 0, x(view.t0), canvas.height);
    ctx.fillRect(x(view.t1), 0, canvas.width, canvas.height);
    ctx.globalAlpha = 1;
    if (view.range) {
      ctx.fillStyle = theme().accent;
      ctx.fillRect(x(view.range.t0), canvas.height - 3 * ratio, Math.max(ratio, x(view.range.t1) -
        x(view.range.t0)), 3 * ratio);
    }
    ctx.strokeStyle = theme().ink;
    ctx.lineWidth = 1.5 * ratio;
    ctx.strokeRect(x(view.t0) + 0.75, 0.75, Math.max(2, x(view.t1) - x(view.t0) - 1.5), canvas.height - 1.5);
    canvas.title = `Visible: ${seconds(view.t0)} to ${seconds(view.t1)}`;
  }

  drawRun(ctx, run, { layers, palette }, place) {
    const { canvas, view } = this, ratio = devicePixelRatio, height = high * ratio;
    const perPixel = view.length / canvas.width, bottom = (place + 1) * height + place * between * ratio;
    for (let x = 0; x < canvas.width; ++x) {
      const date = view.start + (x + 0.5) * perPixel + run.shift, i = Math.floor(date / run.interval_s);
      if (i < 0 || i >= run.intervals) continue;
      let from = bottom;
      layers.forEach((layer, k) => {
        const size = layer[i] * (height - 1);
        ctx.fillStyle = `rgb(${palette[k].join(",")})`;
        ctx.fillRect(x, from - size, 1, size);
        from -= size;
      });
    }
    if (this.runs.length === 1) return;
    ctx.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = theme().paper;
    ctx.fillStyle = theme().ink;
    for (const put of ["strokeText", "fillText"]) ctx[put]("ABCD"[run.number], 5 * ratio, bottom - height / 2);
  }
}
