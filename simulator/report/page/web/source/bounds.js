// The panels "Bounds" and "Where the time went".

import { workerRows } from "./rows.js";
import { element, percent, seconds, swatch } from "./format.js";

/** Returns a bar, `share` of the width long, between its name and its value; `color`: its own. */
export function barRow(name, share, value, { tag = "div", strong, color, ...attributes }) {
  const bar = element("span", { class: strong ? "bar strong" : "bar" });
  bar.style.width = 100 * share + "%";
  if (color) bar.style.background = color;
  return element(tag, { class: "barrow wide", ...attributes }, element("span", { class: "barname", text: name }),
    element("span", { class: "bartrack" }, bar), element("span", { class: "barvalue", text: value }));
}

export function boundsPanel(run, longest, parent) {
  for (const { name, seconds: value, meaning } of run.bounds.filter((bound) => bound.seconds !== null)) {
    const own = name === "makespan", share = own ? "" : ` (${percent(value / run.makespan_s)})`;
    parent.append(barRow(name, value / longest, seconds(value) + share, { strong: own, title: meaning }));
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
    return t0 === 0 && t1 === this.run.makespan_s && this.view.node === null;
  }

  breakdowns() {
    const { run, view } = this;
    const asMade = !run.tasks || !run.idleItems || (this.isWhole() && !run.mixed);
    if (asMade) return { all: this.longest, of: run.makespan_s, breakdowns: run.breakdowns };
    const { first, last } = workerRows(run, view), span = view.span, length = span.t1 - span.t0;
    const whole = this.isWhole(), range = whole ? "" : `, from ${seconds(span.t0)} to ${seconds(span.t1)}`;
    const where = view.node === null ? "" : ` of node ${run.nodes[view.node].name}`;
    const of = (gpu) => {
      const workers = run.statistics.rows(first, last, gpu).length;
      const waits = run.statistics.states(first, last, span, gpu).map((part) => ({ ...part, wait: true }));
      const parts = [...run.statistics.kernels(first, last, span, null, gpu), ...waits].map((part) =>
        ({ ...part, seconds: part.seconds / workers }));
      return { title: `What a ${gpu === null ? "worker" : gpu ? "GPU" : "core"}${where} did on average${range}`,
        parts: this.filled(parts, length, "other short waits") };
    };
    const kinds = [true, false].filter((gpu) => run.statistics.rows(first, last, gpu).length);
    const chain = whole ? run.breakdowns[0] : { title: `Critical chain${range}`,
      parts: this.filled(run.statistics.chain(span), length, "waits between its tasks") };
    return { all: whole ? this.longest : length, of: length,
      breakdowns: [chain, ...(kinds.length > 1 ? kinds : [null]).map(of)] };
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
        if (part.seconds < 5e-4 * of) continue; // less than 0.05 % is no part to read
        const key = swatch(part.color, `${part.name} `, part.wait ? "wait" : "");
        key.append(element("b", { text: seconds(part.seconds) }),
          document.createTextNode(` ${percent(part.seconds / of)}`));
        keys.append(key);
      }
      return [element("p", { class: "stacktitle", text: title }), bar, keys];
    }));
  }
}
