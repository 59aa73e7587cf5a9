// The table of all points of a sweep: sorted by any column, filtered by words and conditions.

import { formatted } from "./points.js";
import { element, grouped } from "./format.js";

const step = 200; // rows at a time

/**
 * Returns a test for points. Each part of `text` must hold: a word that any value contains, or column<value.
 */
export function matcher(points, text) {
  const tests = text.trim().split(/\s+/).filter(Boolean).map((part) => {
    const condition = /^(.+?)(<=|>=|!=|=|<|>)(.*)$/.exec(part), column = condition && points.column(condition[1]);
    if (!column) {
      const word = part.toLowerCase();
      return (i) => points.columns.some((c) => c.text(i).toLowerCase().includes(word));
    }
    const [, , operator, right] = condition, number = column.numeric && right !== "" ? Number(right) : right;
    const compare = { "<": (a) => a < number, ">": (a) => a > number, "<=": (a) => a <= number,
      ">=": (a) => a >= number, "=": (a) => a === number, "!=": (a) => a !== number }[operator];
    return (i) => compare(column.values[i] ?? (column.numeric ? null : "")) &&
      (column.values[i] !== null || operator.includes("="));
  });
  return (i) => tests.every((test) => test(i));
}

export class PointTable {
  /** `usual`: names of the columns shown at first; `select(i)` is called when a row is clicked. */
  constructor(points, usual, parent, tools, select) {
    Object.assign(this, { points, usual, select, all: false, sorted: null, down: false, rows: points.all,
      selected: null, shown: step });
    this.filter = element("input", { type: "search", id: "filter", "aria-label": "Filter points",
      placeholder: "words, nodes>=20 (/)", oninput: () => this.refilter() });
    const all = element("input",
      { type: "checkbox", id: "allcolumns", onchange: () => ((this.all = all.checked), this.draw()) });
    this.count = element("span", { class: "note", role: "status" });
    tools.append(this.filter, element("label", {}, all, document.createTextNode(" all columns")), this.count);
    this.box = element("div", { class: "scroll points", tabindex: 0 });
    this.more = element("button",
      { type: "button", id: "more", onclick: () => ((this.shown += step), this.draw()) });
    parent.append(this.box, this.more);
  }

  /** Sets the points that the filters above the charts leave. */
  setRows(rows) {
    this.base = rows;
    this.refilter();
  }

  refilter() {
    const match = matcher(this.points, this.filter.value);
    this.rows = [...this.base].filter(match);
    this.shown = step;
    this.sort();
  }

  sortBy(column) {
    if (this.sorted === column) this.down = !this.down;
    else [this.sorted, this.down] = [column, false];
    this.sort();
  }

  sort() {
    const column = this.sorted;
    if (column) {
      const sign = this.down ? -1 : 1, values = column.values;
      const compare = column.numeric ? (a, b) => values[a] - values[b]
        : (a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0);
      this.rows.sort((a, b) => {
        if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) ||
          a - b; // empty cells come last
        return sign * compare(a, b) || a - b;
      });
    } else this.rows.sort((a, b) => a - b);
    this.draw();
  }

  columns() {
    return this.all ? this.points.columns : this.points.columns.filter((c) => this.usual.includes(c.name));
  }

  draw() {
    const columns = this.columns(), { points } = this;
    const head = columns.map((c) => {
      const order = this.sorted === c ? (this.down ? "descending" : "ascending") : "none";
      return element("th", { scope: "col", "aria-sort": order, class: c.numeric ? "number" : null },
        element("button", { type: "button", text: c.label + (order === "none" ? "" : this.down ? " ▾" : " ▴"),
          "data-column": c.name, title: c.name, onclick: () => this.sortBy(c) }));
    });
    const rows = this.rows.slice(0, this.shown).map((i) => {
      const cells = columns.map((c) => {
        const cell = element("td", { text: c.kind === "result" ? formatted(c.name, c.values[i]) : c.text(i),
          class: c.numeric ? "number" : null });
        if (c.values[i] !== null) cell.dataset.value = cell.title = String(c.values[i]);
        return cell;
      });
      return element("tr", { tabindex: 0, "data-point": i, class: points.done(i) ? null : "failed",
        "aria-current": String(i === this.selected),
        onclick: () => this.select(i), onkeydown: (event) => event.key === "Enter" && this.select(i) },...cells);
    });
    this.box.replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows)));
    const left = this.rows.length - rows.length;
    this.count.textContent = `${grouped(this.rows.length)} of ${grouped(points.count)} points`;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${Math.min(step, left)} more of ${grouped(left)}`;
  }

  mark(selected) {
    this.selected = selected;
    for (const row of this.box.querySelectorAll("tbody tr")) row.setAttribute("aria-current",
      String(Number(row.dataset.point) === selected));
  }
}
