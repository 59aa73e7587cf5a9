// Panels of rows over time: workers, their states, iterations. A long time range is drawn from the cells of
// the page, a short one from every task.

import { canvasOf, paintCells, paintItems, paletteOf } from "./raster.js";
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
      whole: () => 1 }, options);
    this.overview = null;
    this.plot = new TimePlot(view, parent, {
      height: options.height + 32,
      paint: (plot) => this.paint(plot),
      over: (plot) => this.over(plot),
      hover: (plot, at) => options.hover?.(at && this.itemAt(at), at),
      click: (plot, at) => options.click?.(this.itemAt(at), this.rowAt(at.part)),
    });
  }

  /** Returns the row at a fraction of the height, from above, or -1. */
  rowAt(part) {
    const { first, last } = this.rows();
    const row = Math.floor((this.upwards ? 1 - part : part) * (last - first));
    return row >= 0 && row < last - first ? first + row : -1;
  }

  /** Returns the item under the mouse, or the nearest one within two pixels: {row, place}; place -1: none. */
  itemAt({ date, part }) {
    const row = this.rowAt(part), items = this.items();
    if (row < 0 || !items) return { row, place: -1 };
    const near = (2 * (this.view.t1 - this.view.t0)) / Math.max(1, this.plot.plot.over.clientWidth);
    let best = -1, distance = near;
    let from = items.begin[row], to = items.begin[row + 1];
    if (!this.overlaps) {
      let low = from, high = to;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (items.end[middle] <= date - near) low = middle + 1;
        else high = middle;
      }
      from = low;
    }
    for (let i = from; i < to && (this.overlaps || items.start[i] <= date + near); ++i) {
      const off = date < items.start[i] ? items.start[i] - date : date > items.end[i] ? date - items.end[i]
        : 0;
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
    const coarse = columns >= 0.8 * width ||
      (many && this.view.moving && items.item.length > maxWhileMoving);
    const fromAfar = this.cells && this.cells.rows > 0 && (!items || (many && coarse));
    if (!fromAfar) {
      if (!items) return null;
      const options = { first, last, t0, t1, width, palette: this.palette, weight, whole: this.whole(),
        overlaps: this.overlaps };
      return { source: canvasOf(paintItems(items, options)), box: [0, 0, width, last - first] };
    }
    this.overview ??= canvasOf(this.ordered(paintCells(this.cells, this.palette, this.overlaps)));
    const scale = this.cells.columns / this.cellsEnd;
    return { source: this.overview, box: [t0 * scale, first, (t1 - t0) * scale, last - first] };
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
    const image = this.image(Math.max(1, Math.round(width)));
    ctx.save();
    ctx.fillStyle = theme().paper;
    ctx.fillRect(left, top, width, height);
    if (image) {
      ctx.imageSmoothingEnabled = last - first > height;
      if (this.upwards) {
        ctx.translate(0, 2 * top + height);
        ctx.scale(1, -1);
      }
      ctx.drawImage(image.source, ...image.box, left, top, width, height);
    }
    ctx.restore();
    this.separate(ctx, plot.bbox, last - first);
  }

  /** Draws lines of background between rows that are high enough. */
  separate(ctx, { left, top, width, height }, rows) {
    if (height / rows < 5 * devicePixelRatio) return;
    ctx.fillStyle = theme().paper;
    for (let r = 1; r < rows; ++r) ctx.fillRect(left, Math.round(top + (r * height) / rows) - 0.5, width, 1);
  }

  /** Returns the upper end and the height of a row in canvas pixels. */
  band(plot, row) {
    const { first, last } = this.rows();
    const height = plot.bbox.height / (last - first);
    const place = this.upwards ? last - 1 - row : row - first;
    return { top: plot.bbox.top + place * height, height };
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
  const ratio = devicePixelRatio, high = plot.bbox.height / (last - first) >= 12 * ratio;
  const out = [];
  const name = (n) => run.nodes[n].name;
  if (high) {
    for (let r = first; r < last; ++r) {
      const worker = run.workers[run.rows.order[r]], { top, height } = panel.band(plot, r);
      const text = run.nodes.length > 1 ? `${name(worker.node)} ${worker.name}` : worker.name;
      out.push({ y: top + height / 2, text });
    }
    return out;
  }
  for (const group of nodeGroups(run, first, last)) {
    const { top } = panel.band(plot, group.first), end = panel.band(plot, group.last - 1);
    out.push({ y: (top + end.top + end.height) / 2, text: run.nodes[group.node].label });
  }
  return out;
}

/** Returns the rows of each node: {node, first, last}. */
export function nodeGroups(run, first, last) {
  const out = [];
  for (let r = first; r < last; ++r) {
    const node = run.workers[run.rows.order[r]].node;
    if (out.length && out[out.length - 1].node === node) out[out.length - 1].last = r + 1;
    else out.push({ node, first: r, last: r + 1 });
  }
  return out;
}

export { paletteOf };
