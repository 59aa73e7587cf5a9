// Panels as files: SVG from what is drawn, CSV from the data behind it.

/** Saves a text as a file. Nothing leaves the computer. */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Returns a table as CSV (RFC 4180). */
export function csvOf([head, rows]) {
  const cell = (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [head, ...rows].map((row) => [...row].map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Returns the cells of all tables of an element, each with its caption in the first column. */
export function tablesOf(box) {
  const rows = [];
  for (const table of box.querySelectorAll("table"))
    for (const row of table.rows)
      rows.push([...row.cells].map((cell) => cell.dataset.value ?? cell.textContent));
  return [rows[0] ?? [], rows.slice(1)];
}

/** A text with the characters of XML that have a meaning replaced. */
function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c])
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "");
}

const round = (v) => Number(v.toFixed(2));

/** Rows of tasks or states become rectangles in an SVG up to this number of them, and a picture beyond. */
export const maxRectangles = 50000;

/** Returns a colour of CSS as attributes of SVG 1.1, which has no rgba(). `what`: "fill" or "stroke". */
function paint(what, color) {
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(color);
  return parts ? `${what}="rgb(${parts.slice(1, 4).join(",")})" ${what}-opacity="${parts[4]}"`
    : `${what}="${escaped(color)}"`;
}

const PlainPath = Path2D;

/** A Path2D that also keeps its commands as SVG path data. */
class RecordedPath extends PlainPath {
  constructor(path) {
    super(path);
    this.data = [...(path?.data ?? [])];
  }
}

/** Commands of paths, as SVG path data. */
const commands = {
  moveTo: (x, y) => `M${round(x)} ${round(y)}`,
  lineTo: (x, y) => `L${round(x)} ${round(y)}`,
  rect: (x, y, w, h) => `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`,
  closePath: () => "z",
  arc: (x, y, r, from, to) => {
    const at = (angle) => `${round(x + r * Math.cos(angle))} ${round(y + r * Math.sin(angle))}`;
    const half = (from + to) / 2, step = (angle) => `A${round(r)} ${round(r)} 0 0 1 ${at(angle)}`;
    return `M${at(from)}${step(half)}${step(to)}`;
  },
};
for (const [name, command] of Object.entries(commands)) RecordedPath.prototype[name] = function (...numbers) {
    this.data.push(command(...numbers));
    return PlainPath.prototype[name].apply(this, numbers);
  };

/**
 * Calls `draw` while everything that is drawn on `ctx` is also recorded, and returns it as SVG. The state
 * (colours, lines, transformations) is that of the context; clips are those of the whole chart.
 */
function recorded(ctx, draw) {
  const out = [];
  let path = [];
  const place = () => {
    const { a, b, c, d, e, f } = ctx.getTransform();
    const plain = a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
    return (plain ? "" : ` transform="matrix(${[a, b, c, d, e, f].map(round).join(" ")})"`) +
      (ctx.globalAlpha === 1 ? "" : ` opacity="${round(ctx.globalAlpha)}"`);
  };
  const line = () => {
    const dash = ctx.getLineDash();
    return ` fill="none" ${paint("stroke", ctx.strokeStyle)} stroke-width="${round(ctx.lineWidth)}"` +
      (dash.length ? ` stroke-dasharray="${dash.map(round).join(" ")}"` : "");
  };
  const seen = (style) => style !== "transparent" && style !== "rgba(0, 0, 0, 0)" && style !== "#00000000";
  const shape = (data, look) => data.length && out.push(`<path d="${data.join("")}"${look}${place()}/>`);
  const box = (x, y, w, h) => ` x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"`;
  const record = {
    beginPath: () => (path = []),
    stroke: (of) => seen(ctx.strokeStyle) && shape(of?.data ?? path, line()),
    fill: (of) => typeof of !== "string" && seen(ctx.fillStyle) && shape(of?.data ?? path,
      " " + paint("fill", ctx.fillStyle)),
    fillRect: (...at) => out.push(`<rect${box(...at)} ${paint("fill", ctx.fillStyle)}${place()}/>`),
    strokeRect: (...at) => out.push(`<rect${box(...at)}${line()}${place()}/>`),
    fillText: (text, x, y) => out.push(textElement(text, x, y, ctx, place())),
    drawImage: (source, ...at) => {
      const [sx, sy, sw, sh, x, y, w, h] = at.length === 8 ? at : [0, 0, source.width, source.height, ...at];
      const part = document.createElement("canvas");
      part.width = Math.max(1, Math.round(w));
      part.height = Math.max(1, Math.round(h));
      const to = part.getContext("2d");
      to.imageSmoothingEnabled = ctx.imageSmoothingEnabled;
      to.drawImage(source, sx, sy, sw, sh, 0, 0, part.width, part.height);
      out.push(`<image${box(x, y, w, h)} preserveAspectRatio="none" href="${part.toDataURL()}"${place()}/>`);
    },
  };
  for (const [name, command] of Object.entries(commands)) record[name] = (...numbers) => path.push(command(
    ...numbers));
  for (const [name, note] of Object.entries(record)) ctx[name] = (...values) => {
      note(...values);
      return CanvasRenderingContext2D.prototype[name].apply(ctx, values);
    };
  window.Path2D = RecordedPath;
  ctx.maxRectangles = maxRectangles;
  try {
    draw();
  } finally {
    window.Path2D = PlainPath;
    delete ctx.maxRectangles;
    for (const name of Object.keys(record)) delete ctx[name];
  }
  return out.join("\n");
}

function textElement(text, x, y, ctx, place) {
  const anchor = { right: "end", end: "end", center: "middle" }[ctx.textAlign] ?? "start";
  const size = parseFloat(/([\d.]+)px/.exec(ctx.font)?.[1] ?? 11);
  const down = { middle: 0.35, top: 0.8, hanging: 0.8 }[ctx.textBaseline] ?? 0;
  return `<text x="${round(x)}" y="${round(y + down * size)}" font-size="${size}" text-anchor="${anchor}" ` +
    `${paint("fill", ctx.fillStyle)}${place}>${escaped(text)}</text>`;
}

/** Returns a section of the page as SVG. `plots`: uPlot charts in it, which are drawn again as vectors. */
export function svgOf(section, plots) {
  const frame = section.getBoundingClientRect(), out = [];
  const byCanvas = new Map(plots.map((plot) => [plot.root.querySelector("canvas"), plot]));
  const at = (r) => ({ x: r.left - frame.left, y: r.top - frame.top });
  const canvas = (node) => {
    const rect = node.getBoundingClientRect(), { x, y } = at(rect), plot = byCanvas.get(node);
    if (!plot) return out.push(`<image x="${round(x)}" y="${round(y)}" width="${round(rect.width)}" ` +
      `height="${round(rect.height)}" href="${node.toDataURL()}"/>`);
    const scale = rect.width / node.width;
    const content = recorded(plot.ctx, () => plot.batch(() => plot.redraw(true, true)));
    out.push(`<g transform="translate(${round(x)} ${round(y)}) scale(${scale})">`,
      `<svg width="${node.width}" height="${node.height}" overflow="hidden">`, content, "</svg></g>");
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("button, input, .tools, .hover, summary, " +
      ".u-over, .u-under")) return;
    const rect = node.getBoundingClientRect(), style = getComputedStyle(node);
    if (rect.width === 0 || style.display === "none") return;
    if (node.tagName === "CANVAS") return canvas(node);
    if (style.backgroundColor !== "rgba(0, 0, 0, 0)" || node === section) {
      const { x, y } = at(rect), fill = (color) => out.push(`<rect x="${round(x)}" y="${round(y)}" ` +
        `width="${round(rect.width)}" height="${round(rect.height)}" ${paint("fill", color)}/>`);
      fill(style.backgroundColor);
      if (node.matches(".wait")) fill("url(#wait)");
    }
    for (const child of node.childNodes) walk(child);
  };
  const words = (node) => {
    if (!node.data.trim()) return;
    const style = getComputedStyle(node.parentElement), size = parseFloat(style.fontSize);
    const range = document.createRange();
    let line = "", top = null, left = 0;
    const flush = () => line.trim() && out.push(`<text x="${round(left)}" y="${round(top + size * 0.82)}" ` +
      `font-size="${size}" font-weight="${style.fontWeight}" ${paint("fill", style.color)} ` +
      `xml:space="preserve">${escaped(line)}</text>`);
    for (let i = 0; i < node.length; ++i) {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const rect = range.getClientRects()[0];
      if (!rect) continue;
      const y = at(rect).y + (rect.height - size * 1.15) / 2;
      if (top === null || Math.abs(y - top) > 3) {
        flush();
        [line, top, left] = ["", y, at(rect).x];
      }
      line += node.data[i];
    }
    flush();
  };
  walk(section);
  if (out.some((part) => part.includes("<image "))) out.unshift(`<desc>Contains a bitmap: shares or overlapping ` +
    `tasks, or more than ${maxRectangles} rectangles in one chart.</desc>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(frame.width)}" ` +
    `height="${Math.ceil(frame.height)}" font-family="system-ui, DejaVu Sans, sans-serif">\n<defs><pattern ` +
    `id="wait" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect ` +
    `width="3" height="7" fill="#fff" fill-opacity="0.55"/></pattern></defs>\n${out.join("\n")}\n</svg>\n`;
}
