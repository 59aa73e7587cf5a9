// Formats numbers with units, and builds elements.

export function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1 || size === 0) return trimmed(value, 4) + " s";
  for (const [unit, name] of [[1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]])
    if (size >= unit) return `${trimmed(value / unit, 4)} ${name}`;
  return "< 1 ps";
}

/** The next larger unit, which is a thousand of the former. */
const larger = { B: "kB", kB: "MB", "Flop/s": "kFlop/s", "kFlop/s": "MFlop/s", "MFlop/s": "GFlop/s",
  "MB/s": "GB/s", "GB/s": "TB/s", "GFlop/s": "TFlop/s", "TFlop/s": "PFlop/s",
  "PFlop/s": "EFlop/s", MB: "GB", GB: "TB", TB: "PB", PB: "EB" };

/** Returns the unit in which values up to `most` of `unit` are shown: {unit, factor}. */
export function unitFor(unit, most) {
  let factor = 1;
  for (; unit in larger && most * factor >= 1000; unit = larger[unit]) factor /= 1000;
  return { unit, factor };
}

export function rate(gflops) {
  if (gflops <= 0) return "0 GFlop/s";
  const { unit, factor } = unitFor("Flop/s", gflops * 1e9);
  return `${trimmed(gflops * 1e9 * factor, 4)} ${unit}`;
}

export function bytes(value) {
  if (value === null || value === undefined) return "–";
  if (value < 1e6) return grouped(value) + " B";
  const { unit, factor } = unitFor("MB", value / 1e6);
  return `${trimmed((value / 1e6) * factor, 3)} ${unit}`;
}

export function trimmed(value, digits) {
  if (value === 0) return "0";
  const text = Number(value).toPrecision(digits);
  return text.includes("e+") ? grouped(Math.round(value)) : text;
}

export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

export const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";

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

/** Returns a list of [name, value]. */
export function factList(facts) {
  return element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", { text: name }),
    element("dd", { text: value })]));
}

/** Formats a difference with its sign. */
export const signed = (value, format) => (value < 0 ? "\u2212" : "+") + format(Math.abs(value));

/**
 * Returns a colour with its name for a legend. `look`: of its sign: "wait", hatched, where kernels stand beside
 * waits; "line", "dashes" (lines over time), "solid", "dashed" (marks of a date), "tall".
 */
export function swatch(color, name, look = "") {
  const box = element("span", { class: `swatch ${look}` });
  if (color) box.style.backgroundColor = color;
  if (look.startsWith("dash")) box.append(element("span"), element("span"));
  return element("span", { class: "key" }, box, document.createTextNode(name));
}

/** Returns the opacity that shows a share of the largest value: its square root, so that small ones are seen. */
export const shadeOf = (share) => Math.sqrt(Math.min(1, Math.max(0, share)));

/** Returns a bar of the shades from 0 to `most` (a text), for a legend. */
export function scaleBar(color, name, most) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)), steps = 24;
  const bar = element("span", { class: "scale" }, ...Array.from({ length: steps }, (_, i) => {
    const cell = element("span", {});
    cell.style.backgroundColor = `rgba(${r}, ${g}, ${b}, ${shadeOf((i + 0.5) / steps).toFixed(3)})`;
    return cell;
  }));
  return element("span", { class: "key" }, ...(name ? [document.createTextNode(name)] : []),
    document.createTextNode(" 0"), bar, document.createTextNode(most));
}
