// A metric over two columns of a sweep, as a table of coloured cells.

import { element } from "./format.js";
import { formatted } from "./points.js";
import { rgbOf } from "./raster.js";

const maxLines = 60; // rows and columns

export function heatMap(points, kept, { x, y, series }, select) {
  const across = points.column(x), down = points.column(series);
  const keyOf = (row) => down.places[row] + "," + across.places[row];
  const cells = new Map(); // groups with a value, by row and column
  const known = (row) => across.places[row] >= 0 && down.places[row] >= 0;
  for (const row of points.all) if (kept(row) && known(row)) cells.set(keyOf(row), []);
  points.groups.forEach((rows, group) => {
    if (points.summary(y, group)) cells.get(keyOf(rows[0]))?.push(group);
  });
  // A cell is the mean of all groups in it that the filters leave. The filters have too many combinations to
  // compute these means in advance.
  const meanOf = (groups) => {
    const summaries = groups.map((group) => points.summary(y, group));
    const count = summaries.reduce((sum, s) => sum + s.count, 0);
    return summaries.reduce((sum, s) => sum + s.mean * s.count, 0) / count;
  };
  const means = new Map([...cells].filter(([, of]) => of.length).map(([key, of]) => [key, meanOf(of)]));
  const minimum = Math.min(...means.values()), maximum = Math.max(...means.values());
  const [pale, dark] = points.sweep.heat_colors.map(rgbOf);
  const cellOf = (key) => {
    const value = means.get(key);
    if (value === undefined) return element("td", { text: cells.has(key) ? "×" : "" });
    const share = maximum > minimum ? (value - minimum) / (maximum - minimum) : 0.5;
    const cell = element("td", { text: formatted(y, value), title: String(value), tabindex: 0,
      "data-value": String(value),
      onclick: () => select(points.groups[cells.get(key)[0]][0]) });
    cell.style.background = `rgb(${pale.map((p, i) => Math.round(p + share * (dark[i] - p))).join(",")})`;
    cell.style.color = share > 0.5 ? "#ffffff" : "#1d232b";
    return cell;
  };
  const order = ({ different, numeric }) =>
    different.map((_, i) => i).sort((a, b) => (numeric ? different[a] - different[b] : a - b)).slice(0, maxLines);
  const columns = order(across), others = points.sweep.charts[x][series].parameters;
  const head = columns.map((a) => element("th", { scope: "col", text: String(across.different[a]) }));
  const body = order(down).map((d) => element("tr", {},
    element("th", { scope: "row", text: String(down.different[d]) }),
    ...columns.map((a) => cellOf(d + "," + a))));
  const note = others.length
    ? element("p", { class: "note", text: `means over points that differ in ${others.map((name) => points.label(name)).join(", ")}` }) : null;
  return element("div", { class: "scroll", tabindex: 0 }, note, element("table", { class: "heat" },
    element("thead", {}, element("tr", {}, element("th", { text: `${down.label} ↓  ${across.label} →` }), ...head)),
    element("tbody", {}, ...body)));
}
