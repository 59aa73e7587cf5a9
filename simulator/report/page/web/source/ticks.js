// Ticks of linear axes: steps of 1, 2 or 5 times a power of ten in the unit that is shown, so that every label
// is exactly the value of its tick.

/** Returns {digit, exponent} of the least step of 1, 2 or 5 times a power of ten that is not below `least`. */
function roundStep(least) {
  let exponent = Math.floor(Math.log10(least));
  for (const digit of [1, 2, 5]) if (scaled(digit, exponent) >= least * (1 - 1e-12)) return { digit, exponent };
  return { digit: 1, exponent: exponent + 1 };
}

/** Returns n times a power of ten, correctly rounded. */
const scaled = (n, exponent) => (exponent < 0 ? n / 10 ** -exponent : n * 10 ** exponent);

/**
 * Returns the ticks in [from, to], at most about `count`, as {values, labels}. `unit`: values of one unit that
 * is shown, such as 1e-3 for milliseconds.
 */
export function linearTicks(from, to, count, { unit = 1, whole = false } = {}) {
  const values = [], labels = [];
  if (!(to > from)) return { values, labels };
  const least = (to - from) / unit / Math.max(1, count);
  const { digit, exponent } = roundStep(whole ? Math.max(1, least) : least);
  const step = scaled(digit, exponent);
  const first = Math.ceil(from / unit / step - 1e-9), last = Math.floor(to / unit / step + 1e-9);
  for (let i = first; i <= last; ++i) {
    const shown = scaled(i * digit, exponent);
    values.push(shown * unit);
    labels.push(grouped(shown.toFixed(Math.max(0, -exponent))));
  }
  return { values, labels };
}

/** Separates groups of three digits before the decimal point. */
function grouped(text) {
  const [whole, part] = text.split(".");
  const out = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  return part === undefined ? out : `${out}.${part}`;
}

/** Returns the ticks of a time axis of `width` pixels; the last label has the unit. */
export function timeTicks(from, to, width) {
  const end = Math.max(Math.abs(from), Math.abs(to));
  const [unit, name] = end >= 2 ? [1, "s"] : end >= 2e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
  let room = 64, out;
  do {
    out = linearTicks(from, to, width / room, { unit });
    room += 16;
  } while (room < 200 && Math.max(...out.labels.map((l) => l.length)) * 6.2 + 26 > room);
  if (out.labels.length) out.labels[out.labels.length - 1] += " " + name;
  return out;
}
