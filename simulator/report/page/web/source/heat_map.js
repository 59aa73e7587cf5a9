// A metric over two columns of a sweep, as a table of coloured cells.

import { rgbOf } from "./raster.js";
import { wordsOf } from "./points.js";
import { element } from "./words.js";

const most = 60; // rows and columns
const pale = rgbOf("#fff3c4"), dark = rgbOf("#0b3c6e"); // as heat_map_svg has them

export function heatMap(points, rows, { x, y, series }, select) {
  const across = points.column(x), down = points.column(series), metric = points.column(y);
  const cells = new Map();
  for (const r of rows) {
    if (across.places[r] < 0 || down.places[r] < 0) continue;
    const key = down.places[r] + "," + across.places[r];
    if (!cells.has(key)) cells.set(key, []);
    if (typeof metric.values[r] === "number") cells.get(key).push(r);
  }
  const means = new Map([...cells].filter(([, of]) => of.length).map(([key, of]) => [key, points.spread(of.map((r) => metric.values[r])).mean]));
  const least = Math.min(...means.values()), top = Math.max(...means.values());
  const order = (column) => column.different.map((_, i) => i).sort((a, b) => (column.numeric ? column.different[a] - column.different[b] : a - b)).slice(0, most);
  const columns = order(across), body = order(down).map((d) => element("tr", {}, element("th", { scope: "row", text: String(down.different[d]) }),
    ...columns.map((a) => {
      const key = d + "," + a, value = means.get(key);
      if (value === undefined) return element("td", { text: cells.has(key) ? "×" : "" });
      const share = top > least ? (value - least) / (top - least) : 0.5;
      const cell = element("td", { text: wordsOf(metric.name, value), title: String(value), tabindex: 0, "data-value": String(value), onclick: () => select(cells.get(key)[0]) });
      cell.style.background = `rgb(${pale.map((p, i) => Math.round(p + share * (dark[i] - p))).join(",")})`;
      cell.style.color = share > 0.5 ? "#ffffff" : "#1d232b";
      return cell;
    })));
  const others = points.panelColumns([...cells.values()].flat(), across, down).map((c) => c.name);
  const note = others.length ? element("p", { class: "note", text: `means over points that differ in ${others.join(", ")}` }) : null;
  return element("div", { class: "scroll" }, note, element("table", { class: "heat" },
    element("thead", {}, element("tr", {}, element("th", { text: `${series} ↓  ${x} →` }), ...columns.map((a) => element("th", { scope: "col", text: String(across.different[a]) })))),
    element("tbody", {}, ...body)));
}
