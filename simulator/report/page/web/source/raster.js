// Paints many coloured time intervals pixel by pixel. A pixel has the mean colour of the intervals in it, so
// that a picture of a million tasks is as accurate as one of ten. One pass over the visible items.

import { shadeOf } from "./format.js";

export const rgbOf = (hex) =>
  [parseInt(hex.slice(1, 3), 16), parseInt(hex.slice(3, 5), 16), parseInt(hex.slice(5, 7), 16)];

/** Returns the colours of a run's kernels or states as [red, green, blue]. */
export const paletteOf = (colors) => colors.map((c) => rgbOf(c.color));

/** A darker left end separates equal neighbours. */
export const edgeShade = 0.72;

/** Returns the first place in [from, to) whose value of `dates` is above (or not below) `date`. */
export function placeOf(dates, from, to, date, above = true) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (above ? dates[middle] <= date : dates[middle] < date) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Paints rows [first, last) from t0 to t1 as an image of `width` pixels and one pixel per row.
 * `weight(item)`: opacity from 0 to 1; null: all 1. `whole`: number of simultaneous items that fill a pixel,
 * for rows whose items overlap (`overlaps`); these need not be sorted.
 */
export function paintItems(items, { first, last, t0, t1, width, palette, weight = null, whole = 1,
  overlaps = false }) {
  const image = new ImageData(width, last - first);
  const data = image.data, perPixel = width / (t1 - t0);
  const red = new Float32Array(width + 1), green = new Float32Array(width + 1);
  const blue = new Float32Array(width + 1), alpha = new Float32Array(width + 1);
  for (let row = first; row < last; ++row) {
    for (const sums of [red, green, blue, alpha]) sums.fill(0);
    const end = items.begin[row + 1];
    let i = overlaps ? items.begin[row] : placeOf(items.end, items.begin[row], end, t0);
    for (; i < end; ++i) {
      if (items.start[i] >= t1) {
        if (overlaps) continue;
        break;
      }
      if (items.end[i] <= t0) continue;
      const x0 = Math.max(0, (items.start[i] - t0) * perPixel);
      const x1 = Math.min(width, (items.end[i] - t0) * perPixel);
      const color = palette[items.color[i]], r = color[0], g = color[1], b = color[2];
      const strength = weight ? weight(items.item[i]) : 1;
      const from = Math.floor(x0), to = Math.floor(x1);
      const edge = x1 - x0 > 5 ? edgeShade : 1;
      for (let x = from; x <= to && x < width; ++x) {
        const share = (Math.min(x + 1, x1) - Math.max(x, x0)) * strength;
        if (share <= 0) continue;
        const shade = x === from ? edge : 1;
        red[x] += r * share * shade;
        green[x] += g * share * shade;
        blue[x] += b * share * shade;
        alpha[x] += share;
      }
    }
    let at = (row - first) * width * 4;
    for (let x = 0; x < width; ++x, at += 4) {
      const a = alpha[x];
      if (a <= 0) continue;
      data[at] = red[x] / a;
      data[at + 1] = green[x] / a;
      data[at + 2] = blue[x] / a;
      data[at + 3] = 255 * visible(a / whole, whole);
    }
  }
  return image;
}

/** Returns the opacity of a pixel. Where many items may overlap, few of them are visible too. */
function visible(share, whole) {
  const part = Math.min(1, share);
  return whole === 1 ? part : 0.25 + 0.75 * Math.sqrt(part);
}

/** Paints the cells of a run (CellRows), one pixel per cell. */
export function paintCells(cells, palette, overlaps = false) {
  const image = new ImageData(cells.columns, Math.max(1, cells.rows));
  for (let cell = 0; cell < cells.color.length; ++cell) {
    const color = cells.color[cell];
    if (color === 255) continue;
    const share = cells.share[cell] / 255;
    const [r, g, b] = palette[color];
    image.data.set([r, g, b, 255 * (overlaps ? visible(share, 2) : share)], cell * 4);
  }
  return image;
}

/** Returns the number of items of rows [first, last) that lie in [t0, t1], and calls `visit(row, place)`. */
export function visitItems(items, { first, last, t0, t1 }, visit = () => {}) {
  let count = 0;
  for (let row = first; row < last; ++row) {
    const end = items.begin[row + 1];
    for (let i = placeOf(items.end, items.begin[row], end, t0); i < end && items.start[i] < t1; ++i, ++count)
      visit(row, i);
  }
  return count;
}

export function canvasOf(image) {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/**
 * Paints rows of stacked shares (occupation). `rows`: offsets into `shares`, which holds [kernels][intervals]
 * of each row.
 */
export function paintStacks(rows, shares, { kernels, intervals, interval, t0, t1, width, rowHeight, palette }) {
  const image = new ImageData(width, rows.length * rowHeight);
  const pixels = new Uint32Array(image.data.buffer);
  const colors = palette.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
  const perPixel = (t1 - t0) / width;
  const bar = rowHeight - 1; // a line of background between rows
  rows.forEach((offset, row) => {
    for (let x = 0; x < width; ++x) {
      const date = t0 + (x + 0.5) * perPixel;
      const i = Math.floor(date / interval);
      if (i < 0 || i >= intervals) continue;
      let sum = 0, from = 0;
      for (let k = 0; k < kernels; ++k) {
        sum += shares[offset + k * intervals + i];
        const to = Math.min(bar, Math.round((sum / 255) * bar));
        for (let y = from; y < to; ++y) pixels[(row * rowHeight + rowHeight - 1 - y) * width + x] = colors[k];
        from = Math.max(from, to);
      }
    }
  });
  return image;
}

/** Paints rows of one quantity over time: the larger, the darker. */
export function paintHeat(rows, maximum, { interval, t0, t1, width, color }) {
  const image = new ImageData(width, Math.max(1, rows.length));
  const perPixel = (t1 - t0) / width;
  rows.forEach(({ values, color: own }, row) => {
    const [r, g, b] = own ?? color;
    for (let x = 0; x < width; ++x) {
      // The mean of the intervals in this pixel.
      const from = Math.max(0, Math.floor((t0 + x * perPixel) / interval));
      const to = Math.min(values.length, Math.max(from + 1, Math.round((t0 + (x + 1) * perPixel) / interval)));
      let sum = 0;
      for (let i = from; i < to; ++i) sum += values[i];
      if (sum <= 0 || to <= from) continue;
      image.data.set([r, g, b, 255 * shadeOf(sum / (to - from) / maximum)], (row * width + x) * 4);
    }
  });
  return image;
}
