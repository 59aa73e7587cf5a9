// Statistics of the selected or else the visible range of time: kernels and states of the shown workers.

import { taskName } from "./hover.js";
import { workerRows } from "./rows.js";
import { folded, table } from "./tables.js";
import { element, grouped, percent, seconds } from "./format.js";

export class RangePanel {
  constructor(run, view, parent) {
    Object.assign(this, { run, view });
    this.box = element("div", {});
    parent.append(this.box);
  }

  draw() {
    const { run, view } = this, span = view.span, length = span.t1 - span.t0;
    if (!run.tasks) return this.box.replaceChildren(element("p",
      { class: "note", text: "The tasks are being unpacked." }));
    if (!(length > 0)) return this.box.replaceChildren(element("p",
      { class: "note", text: "The run has no part in this range." }));
    const { first, last } = workerRows(run, view), workers = last - first, all = workers * length;
    const kernels = run.statistics.kernels(first, last, span, view.iteration);
    const tasks = kernels.reduce((sum, k) => sum + k.tasks, 0);
    const busy = kernels.reduce((sum, k) => sum + k.seconds, 0);
    const states = run.idleItems && run.statistics.states(first, last, span).filter((s) => s.seconds > 0);
    this.kernels = kernels;
    const which = view.range ? "Selected" : view.view.isWhole() ? "Whole run" : "Visible range";
    const of = [view.node === null ? `${grouped(workers)} workers` : `node ${run.nodes[view.node].name}, ` +
      `${grouped(workers)} workers`, ...(view.iteration === null ? [] : [`iteration ${view.iteration}`])];
    this.box.replaceChildren(element("p", { class: "rangehead",
      text: `${which}: ${seconds(span.t0)} to ${seconds(span.t1)} (${seconds(length)}); ${of.join("; ")}; `
        + `${grouped(tasks)} tasks, busy: ${view.iteration === null ? run.statistics.busyText(first, last, span)
          : percent(busy / all)}` }),
    element("div", { class: "tworows" },
      table(["kernel", "tasks", "time", "share", "mean duration"], kernels.filter((k) => k.tasks).map((k) =>
        [k.name, grouped(k.tasks), seconds(k.seconds), percent(k.seconds / all), seconds(k.whole / k.tasks)])),
      states && table(["other states", "time", "share"], states.map((s) => [s.name, seconds(s.seconds),
        percent(s.seconds / all)]))));
    if (run.found) this.box.append(folded(`Found: ${grouped(run.found.list.length)} tasks`,
      element("p", { class: "note", text: run.found.list.slice(0, 40).map((i) => taskName(run, i)).join(", ") +
        (run.found.list.length > 40 ? ", …" : "") })));
  }

  /** Returns the table of the panel: [head, rows]. */
  csv() {
    const { t0, t1 } = this.view.span;
    return [["kernel", "tasks", "seconds", "mean_task_s", "from_s", "to_s"], (this.kernels ?? []).map((k) =>
      [k.name, k.tasks, k.seconds, k.tasks ? k.whole / k.tasks : null, t0, t1])];
  }
}
