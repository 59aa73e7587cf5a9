// The box beside the mouse, which describes the item under it.

import { predecessorsOf, successorsOf, waitedTask } from "./data.js";
import { element, grouped, percent, seconds } from "./format.js";

const causes = ["its submission", "a task it depends on", "a message", "a copy into its memory",
  "a worker of its kind to be idle"];

export function taskName(run, i) {
  const tasks = run.tasks, name = run.kernels[tasks.kernel[i]].name;
  if (!tasks.k.length) return name;
  const index = (values) => (values[i] === 65535 ? "–" : values[i]);
  return `${name}(${index(tasks.k)}, ${index(tasks.m)}, ${index(tasks.n)})`;
}

export function workerName(run, w) {
  const worker = run.workers[w];
  const node = run.nodes[worker.node];
  return run.nodes.length > 1
    ? `${worker.name} of node ${node.name}${node.type ? " (" + node.type + ")" : ""}` : worker.name;
}

/** Returns everything that the page knows of a task, as [name, value]. */
export function taskFacts(run, i) {
  const tasks = run.tasks, tick = tasks.tick_s, start = tasks.start[i] * tick;
  const index = (values) => (!values.length || values[i] === 65535 ? "–" : String(values[i]));
  const facts = [["k, m, n", [tasks.k, tasks.m, tasks.n].map(index).join(", ")]];
  const node = run.nodes[run.workers[tasks.worker[i]].node];
  facts.push(["node", node.type && node.type !== node.name ? `${node.name} (${node.type})` : node.name]);
  facts.push(["worker", run.workers[tasks.worker[i]].name]);
  facts.push(["start", seconds(start)], ["duration", seconds(tasks.duration[i] * tick)]);
  const kind = tasks.waited_for[i];
  if (kind === 255) facts.push(["waited for", "not recorded in the trace"]);
  else {
    const other = waitedTask(tasks, i);
    facts.push(["waited for",
      causes[kind] + (other >= 0 ? `: ${taskName(run, other)} on ${workerName(run, tasks.worker[other])}`
      : "")]);
    facts.push(["which came", `${seconds(tasks.ready[i] * tick)} before the start`]);
  }
  if (tasks.predecessorBegin) facts.push(["depends on", `${predecessorsOf(tasks, i).length} tasks`]);
  if (tasks.successors?.of === i) facts.push(["successors", `${successorsOf(tasks, i).length} tasks`]);
  facts.push(["number", grouped(tasks.number.length ? tasks.number[i] : i) +
    (tasks.onChain[i] ? ", on the critical chain" : "")]);
  return facts;
}

export class Hover {
  constructor() {
    this.box = element("div", { class: "hover", role: "tooltip", hidden: true });
  }

  hide() {
    this.box.hidden = true;
  }

  show(at, title, rows) {
    const list = element("dl", {});
    for (const [name, value, color] of rows) {
      const term = element("dt", { text: name });
      if (color) {
        const dot = element("span", { class: "swatch" });
        dot.style.background = color;
        term.prepend(dot);
      }
      list.append(term, element("dd", { text: value }));
    }
    this.box.replaceChildren(element("strong", { text: title }), list);
    this.box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const x = at.event.clientX + 18, y = at.event.clientY + 14;
    const inside = (place, size, room) => Math.max(4, Math.min(place, room - size - 4)) + "px";
    this.box.style.left = inside(x + width > innerWidth - 8 ? at.event.clientX - width - 14 : x, width,
      innerWidth);
    this.box.style.top = inside(y + height > innerHeight - 8 ? at.event.clientY - height - 12 : y, height,
      innerHeight);
  }

  task(run, i, at, found, span) {
    if (!at) return this.hide();
    if (i >= 0) return this.show(at, taskName(run, i), taskFacts(run, i));
    if (!found || found.row < 0) return this.hide();
    const worker = run.rows.order[found.row];
    const what = run.tasks ? "no task" : "single tasks are not there (yet)";
    const busy = 1 - run.statistics.idleShare(found.row, found.row + 1, span);
    this.show(at, workerName(run, worker), [["at " + seconds(at.date), what],
      ["busy", percent(busy)], ["from, to", `${seconds(span.t0)}, ${seconds(span.t1)}`]]);
  }

  state(run, found, at) {
    if (!at || !found || found.row < 0) return this.hide();
    const worker = workerName(run, run.rows.order[found.row]);
    if (found.place < 0) return this.show(at, worker, [["at " + seconds(at.date), "runs a task"]]);
    const items = run.idleItems, state = run.states[items.color[found.place]];
    const from = items.start[found.place];
    const length = seconds(items.end[found.place] - from);
    this.show(at, worker, [[state.name, length, state.color], ["from", seconds(from)]]);
  }

  iteration(run, iteration, at) {
    if (!at || !iteration) return this.hide();
    const [k, tasks, first, median, last] = iteration;
    this.show(at, `iteration k = ${k}`, [["tasks", grouped(tasks)], ["first end", seconds(first)],
      ["median end", seconds(median)], ["last end", seconds(last)]]);
  }

  lines(at, date, rows, title) {
    this.show(at, title ?? `at ${seconds(date)}`, title ? [["at", seconds(date)], ...rows] : rows);
  }
}
