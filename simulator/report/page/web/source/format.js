// Formats numbers with units, and builds elements.

export function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1 || size === 0) return trimmed(value, 4) + " s";
  if (size < 1e-9) return "< 1 ns";
  if (size >= 1e-3) return trimmed(value * 1e3, 4) + " ms";
  return trimmed(value * 1e6, 4) + " µs";
}

const larger = { "MB/s": "GB/s", "GFlop/s": "TFlop/s", MB: "GB" };

/** Returns the unit in which values up to `most` of `unit` are shown: {unit, factor}. */
export function unitFor(unit, most) {
  return unit in larger && most >= 1000 ? { unit: larger[unit], factor: 1e-3 } : { unit, factor: 1 };
}

export function rate(gflops) {
  const { unit, factor } = unitFor("GFlop/s", gflops);
  return `${trimmed(gflops * factor, 4)} ${unit}`;
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e12) return trimmed(value / 1e12, 3) + " TB";
  if (value >= 1e9) return trimmed(value / 1e9, 3) + " GB";
  if (value >= 1e6) return trimmed(value / 1e6, 3) + " MB";
  return grouped(value) + " B";
}

export function trimmed(value, digits) {
  if (value === 0) return "0";
  const text = Number(value).toPrecision(digits);
  return text.includes("e") ? grouped(Math.round(value)) : text;
}

export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function percent(share, digits = 1) {
  return (100 * share).toFixed(digits) + " %";
}

/** Formats a number for an axis or the box beside the mouse: short, with groups of digits. */
export function plain(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1000) return grouped(Math.round(value));
  return size >= 100 || Number.isInteger(value) ? String(Math.round(value)) : trimmed(value, 3);
}

/** Creates an element with attributes, text (never markup) and children. */
export function element(tag, { text, ...attributes } = {}, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else out.setAttribute(name, value === true ? "" : value);
  }
  if (text !== undefined) out.textContent = text;
  out.append(...children.filter((child) => child !== null && child !== undefined));
  return out;
}

/** Returns a colour with its name for a legend; hatched for waits, where kernels stand beside them. */
export function swatch(color, name, hatched = false) {
  const box = element("span", { class: hatched ? "swatch wait" : "swatch" });
  box.style.backgroundColor = color;
  return element("span", { class: "key" }, box, document.createTextNode(name));
}
