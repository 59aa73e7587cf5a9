// Panels of rows over time: workers, their states, iterations. A long time range is drawn from the cells of
// the page, a short one from every task.

import { canvasOf, edgeShade, paintCells, paintItems, paletteOf, placeOf, visitItems } from "./raster.js";
import { rowLabels, theme, TimePlot } from "./plot.js";

/** With more items, cells are drawn while the view moves. */
const maxWhileMoving = 50000;

export class RowPanel {
  /**
   * `rows()` -> {first, last}: the rows shown; `items()` -> sorted items, or null until they are unpacked;
   * `cells`, with `cellOrder` (row of the picture -> row of the cells), and `palette`. `upwards`: the first
   * row is the lowest.
   */
  constructor(view, parent, options) {
    this.view = view;
    Object.assign(this, { upwards: false, overlaps: false, weight: () => null, decorate: () => {},
      beside: () => {}, whole: () => 1, rowHeight: () => 1 }, options);
    this.overview = null;
    this.plot = new TimePlot(view, parent, {
      height: options.height + 32,
      label: options.label,
      paint: (plot) => this.paint(plot),
      over: (plot) => this.over(plot),
      hover: (plot, at) => options.hover?.(at && this.itemAt(at), at),
      click: (plot, at) => options.click?.(this.itemAt(at), this.rowAt(at.part)),
    });
  }

  /** Returns the row at a fraction of the height, from above, or -1. */
  rowAt(part) {
    const { first, last } = this.rows(), edges = this.edges(first, last);
    const high = (this.upwards ? 1 - part : part) * edges[last - first];
    if (!(high >= 0 && high < edges[last - first])) return -1;
    let row = 0;
    while (edges[row + 1] <= high) ++row;
    return first + row;
  }

  /** Returns the edges of the rows [first, last) from 0, in units of the height of a plain row. */
  edges(first, last) {
    if (this.known?.first === first && this.known.last === last) return this.known.edges;
    const edges = new Float64Array(last - first + 1);
    for (let r = first; r < last; ++r) edges[r - first + 1] = edges[r - first] + this.rowHeight(r, last - first);
    this.known = { first, last, edges };
    return edges;
  }

  /** Returns the item under the mouse, or the nearest one within two pixels: {row, place}; place -1: none. */
  itemAt({ date, part }) {
    const row = this.rowAt(part), items = this.items();
    if (row < 0 || !items) return { row, place: -1 };
    const near = (2 * (this.view.t1 - this.view.t0)) / Math.max(1, this.plot.plot.over.clientWidth);
    let best = -1, distance = near;
    const begin = items.begin[row], to = items.begin[row + 1];
    const from = this.overlaps ? begin : placeOf(items.end, begin, to, date - near);
    for (let i = from; i < to && (this.overlaps || items.start[i] <= date + near); ++i) {
      const off = date < items.start[i] ? items.start[i] - date : date > items.end[i] ? date - items.end[i] : 0;
      if (off === 0 || off < distance) {
        best = i;
        distance = off;
        if (off === 0) break;
      }
    }
    return { row, place: best };
  }

  image(width) {
    const { first, last } = this.rows();
    const { t0, t1 } = this.view, items = this.items(), weight = this.weight();
    const columns = this.cells ? ((t1 - t0) / this.cellsEnd) * this.cells.columns : 0;
    const many = items && items.item.length > 20000 && !weight;
    const coarse = columns >= 0.8 * width || (many && this.view.moving && items.item.length > maxWhileMoving);
    const fromAfar = this.cells && this.cells.rows > 0 && (!items || (many && coarse));
    if (!fromAfar) {
      if (!items) return null;
      const options = { first, last, t0, t1, width, palette: this.palette, weight, whole: this.whole(),
        overlaps: this.overlaps };
      const painted = this.stretched(paintItems(items, options), first, last);
      return { source: canvasOf(painted), box: [0, 0, width, painted.height] };
    }
    const scale = this.cells.columns / this.cellsEnd, edges = this.edges(first, last);
    if (this.overview?.edges !== edges) {
      const all = this.ordered(paintCells(this.cells, this.palette, this.overlaps)), { width: w } = all;
      const shown = new ImageData(all.data.slice(first * w * 4, last * w * 4), w);
      this.overview = { edges, source: canvasOf(this.stretched(shown, first, last)) };
    }
    return { source: this.overview.source, box: [t0 * scale, 0, (t1 - t0) * scale, edges[last - first]] };
  }

  /** Reorders the rows of the cells as rows of the picture. */
  ordered(image) {
    if (!this.cellOrder) return image;
    const out = new ImageData(image.width, image.height), row = image.width * 4;
    this.cellOrder.forEach((from, to) => out.data.set(image.data.subarray(from * row, (from + 1) * row),
      to * row));
    return out;
  }

  paint(plot) {
    const { left, top, width, height } = plot.bbox, ctx = plot.ctx;
    const { first, last } = this.rows();
    if (width <= 0 || last <= first) return;
    ctx.save();
    ctx.fillStyle = theme().paper;
    ctx.fillRect(left, top, width, height);
    const image = this.paintVectors(plot) ? null : this.image(Math.max(1, Math.round(width)));
    if (image) {
      ctx.imageSmoothingEnabled = image.source.height > height;
      if (this.upwards) {
        ctx.translate(0, 2 * top + height);
        ctx.scale(1, -1);
      }
      ctx.drawImage(image.source, ...image.box, left, top, width, height);
    }
    ctx.restore();
    this.separate(plot, first, last);
  }

  /**
   * Paints each item as a rectangle if the chart becomes an SVG that may hold so many. Returns whether it did.
   */
  paintVectors(plot) {
    const { ctx, bbox } = plot, items = this.items(), { first, last } = this.rows(), { t0, t1 } = this.view;
    const range = { first, last, t0, t1 };
    if (!ctx.maxRectangles || !items || this.overlaps || visitItems(items, range) > ctx.maxRectangles)
      return false;
    const weight = this.weight(), x = (date) => bbox.left + (bbox.width * (date - t0)) / (t1 - t0);
    const bodies = new Map(), edges = new Map(); // rectangles by colour
    const add = (to, rgb, alpha, box) => {
      const color = `rgba(${rgb.join(", ")}, ${alpha})`;
      to.has(color) ? to.get(color).push(box) : to.set(color, [box]);
    };
    visitItems(items, range, (row, i) => {
      const from = x(Math.max(t0, items.start[i])), to = x(Math.min(t1, items.end[i]));
      const { top, height } = this.band(plot, row), rgb = this.palette[items.color[i]];
      const alpha = weight ? weight(items.item[i]) : 1;
      add(bodies, rgb, alpha, [from, top, Math.max(to - from, 0.02), height]);
      if (to - from > 5 && items.start[i] >= t0)
        add(edges, rgb.map((c) => Math.round(c * edgeShade)), alpha, [from, top, 1, height]);
    });
    for (const [color, boxes] of [...bodies, ...edges]) {
      ctx.fillStyle = color;
      ctx.beginPath();
      for (const box of boxes) ctx.rect(...box);
      ctx.fill();
    }
    return true;
  }

  /** Repeats the rows [first, last) of an image by their heights, which are whole numbers. */
  stretched(image, first, last) {
    const edges = this.edges(first, last), rows = edges[last - first];
    if (rows === last - first) return image;
    const out = new ImageData(image.width, rows), from = new Uint32Array(image.data.buffer),
      to = new Uint32Array(out.data.buffer), { width } = image;
    for (let row = 0; row < last - first; ++row)
      for (let y = edges[row]; y < edges[row + 1]; ++y)
        to.set(from.subarray(row * width, (row + 1) * width), y * width);
    return out;
  }

  /** Draws lines of background between rows that are high enough. */
  separate({ ctx, bbox }, first, last) {
    const edges = this.edges(first, last), rows = last - first, unit = bbox.height / edges[rows];
    ctx.fillStyle = theme().paper;
    for (let r = 1; r < rows; ++r) {
      if ((edges[r + 1] - edges[r]) * unit < 5 * devicePixelRatio) continue;
      const above = this.upwards ? edges[rows] - edges[r] : edges[r];
      ctx.fillRect(bbox.left, Math.round(bbox.top + above * unit) - 0.5, bbox.width, 1);
    }
  }

  /** Returns the upper end and the height of a row in canvas pixels. */
  band(plot, row) {
    const { first, last } = this.rows(), edges = this.edges(first, last), all = edges[last - first];
    const unit = plot.bbox.height / all, height = (edges[row - first + 1] - edges[row - first]) * unit;
    const above = this.upwards ? all - edges[row - first + 1] : edges[row - first];
    return { top: plot.bbox.top + above * unit, height };
  }

  over(plot) {
    const ctx = plot.ctx;
    ctx.save();
    ctx.strokeStyle = theme().faint;
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeRect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.beginPath();
    ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    ctx.clip();
    this.decorate(plot, ctx);
    ctx.restore();
    this.beside(plot, ctx);
    if (this.labels) rowLabels(plot, this.labels(plot));
    if (this.rightLabels) rowLabels(plot, this.rightLabels(plot), { right: true });
  }
}

/** Returns the rows of the workers that are shown: all, or those of the selected node. */
export function workerRows(run, view) {
  if (view.node === null) return { first: 0, last: run.workers.length };
  const of = run.rows.order.map((w) => run.workers[w].node);
  const first = of.indexOf(view.node);
  return first < 0 ? { first: 0, last: run.workers.length } : { first, last: of.lastIndexOf(view.node) + 1 };
}

/** Returns labels of rows of workers: names of workers if there is room, else names of nodes. */
export function workerLabels(run, panel, plot) {
  const { first, last } = panel.rows();
  const ratio = devicePixelRatio, high = panel.band(plot, first).height >= 12 * ratio;
  const out = [];
  const name = (n) => run.nodes[n].name;
  if (high) {
    for (let r = first; r < last; ++r) {
      const worker = run.workers[run.rows.order[r]], { top, height } = panel.band(plot, r);
      const text = run.nodes.length > 1 ? `${name(worker.node)} ${worker.name}` : worker.name;
      out.push({ y: top + height / 2, text: text.toLowerCase() });
    }
    return out;
  }
  for (const group of nodeGroups(run, first, last)) {
    const { top } = panel.band(plot, group.first), end = panel.band(plot, group.last - 1);
    out.push({ y: (top + end.top + end.height) / 2, text: run.nodes[group.node].label });
  }
  return out;
}

/** Returns the rows of each node, or of the GPUs and of the cores of each: {node, gpu, first, last}. */
export function nodeGroups(run, first, last, kinds = false) {
  const out = [];
  for (let r = first; r < last; ++r) {
    const { node, gpu } = run.workers[run.rows.order[r]], group = out.at(-1);
    if (group?.node === node && !(kinds && group.gpu !== gpu)) group.last = r + 1;
    else out.push({ node, gpu, first: r, last: r + 1 });
  }
  return out;
}

/** Returns the height of a row of workers: rows of GPUs are higher where cores have little room. */
export const workerHeight = (run, height, row, shown) =>
  run.workers[run.rows.order[row]].gpu && height / shown < 12 && run.mixed ? 4 : 1;

/** Marks the rows of GPUs left of the chart. */
export function markGpus(run, panel, plot, ctx) {
  if (!run.mixed) return;
  const { first, last } = panel.rows(), ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = theme().ink;
  for (let row = first; row < last; ++row) {
    if (!run.workers[run.rows.order[row]].gpu) continue;
    const { top, height } = panel.band(plot, row);
    ctx.fillRect(plot.bbox.left - 7 * ratio, top, 4 * ratio, Math.max(ratio, height - (height > 4 ? 1 : 0)));
  }
  ctx.restore();
}

export { paletteOf };
