// The panels "Bounds" and "Where the time went".

import { workerRows } from "./rows.js";
import { element, percent, seconds, swatch } from "./format.js";

export function boundsPanel(run, longest, parent) {
  for (const { name, seconds: value, meaning } of run.bounds) {
    if (value === null) continue;
    const bar = element("span", { class: "bar" });
    bar.style.width = (100 * value) / longest + "%";
    if (name === "makespan") bar.classList.add("strong");
    const share = name === "makespan" ? "" : ` (${percent(value / run.makespan_s)})`;
    parent.append(
      element("div", { class: "barrow wide", title: meaning },
        element("span", { class: "barname", text: name }), element("span", { class: "bartrack" }, bar),
        element("span", { class: "barvalue", text: seconds(value) + share })),
    );
  }
}

/** Where the time went: of the whole run as the page has it, of a range of time or a node from the tasks. */
export class LostPanel {
  constructor(run, longest, view, parent) {
    Object.assign(this, { run, longest, view });
    this.box = element("div", {});
    parent.append(this.box);
    this.draw();
  }

  isWhole() {
    const { t0, t1 } = this.view.span;
    return !this.run.tasks || !this.run.idleItems ||
      (t0 === 0 && t1 === this.run.makespan_s && this.view.node === null);
  }

  breakdowns() {
    const { run, view } = this;
    if (this.isWhole()) return { all: this.longest, of: run.makespan_s, breakdowns: run.breakdowns };
    const { first, last } = workerRows(run, view), span = view.span, length = span.t1 - span.t0;
    const range = `from ${seconds(span.t0)} to ${seconds(span.t1)}`;
    const waits = run.statistics.states(first, last, span).map((part) => ({ ...part, wait: true }));
    const parts = [...run.statistics.kernels(first, last, span), ...waits].map((part) =>
      ({ ...part, seconds: part.seconds / (last - first) }));
    const chain = run.statistics.chain(span);
    return { all: length, of: length, breakdowns: [
      { title: `The chain of tasks that the end waited for, ${range}`,
        parts: this.filled(chain, length, "waits between its tasks") },
      { title: `What a worker ${view.node === null ? "" : `of node ${run.nodes[view.node].name} `}` +
        `did on average, ${range}`, parts: this.filled(parts, length, "other short waits") }] };
  }

  /** Adds the rest of `length` to parts, and leaves out those that are 0. */
  filled(parts, length, rest) {
    const left = length - parts.reduce((sum, part) => sum + part.seconds, 0);
    const color = "#d4d4d4";
    return [...parts, { name: rest, color, seconds: left > 1e-9 * length ? left : 0, wait: true }].filter((p) =>
      p.seconds > 0);
  }

  draw() {
    const { all, of, breakdowns } = this.breakdowns();
    this.shown = breakdowns;
    this.box.replaceChildren(...breakdowns.flatMap(({ title, parts }) => {
      const bar = element("div", { class: "stack" }), keys = element("div", { class: "keys" });
      for (const part of parts) {
        const piece = element("span",
          { class: part.wait ? "piece wait" : "piece", title: `${part.name}: ${seconds(part.seconds)}` });
        piece.style.width = (100 * part.seconds) / all + "%";
        piece.style.backgroundColor = part.color;
        bar.append(piece);
        const key = swatch(part.color, `${part.name} `, part.wait);
        key.append(element("b", { text: seconds(part.seconds) }),
          document.createTextNode(` ${percent(part.seconds / of)}`));
        keys.append(key);
      }
      return [element("p", { class: "stacktitle", text: title }), bar, keys];
    }));
  }
}
