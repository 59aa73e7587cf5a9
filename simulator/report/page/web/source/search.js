// The search for tasks, tiles, nodes and workers.

import { element, grouped } from "./format.js";

const none = 65535;

/**
 * Returns what a text asks for: {kernel, k, m, n} with null for any, {tile: [m, n]}, {number}, {words}; null:
 * nothing. Examples: "gemm(3, 5, 7)", "gemm k=3", "(3, *, 7)", "tile 5 7", "#120", "node 3".
 */
export function parsed(text) {
  const query = text.trim().toLowerCase();
  if (!query) return null;
  const number = /^#\s*(\d+)$/.exec(query);
  if (number) return { number: Number(number[1]) };
  const tile = /^tile\s*\(?\s*(\d+)[\s,]+(\d+)\s*\)?$/.exec(query);
  if (tile) return { tile: [Number(tile[1]), Number(tile[2])] };
  const out = { kernel: "", k: null, m: null, n: null };
  const named = query.match(/\b[kmn]\s*=\s*\d+/g) ?? [];
  for (const part of named) out[part[0]] = Number(part.split("=")[1]);
  const rest = named.reduce((left, part) => left.replace(part, " "), query);
  const task = /^([a-z_][\w]*)?\s*\(?\s*((?:\d+|\*|–|-)(?:[\s,]+(?:\d+|\*|–|-)){0,2})?\s*\)?\s*$/.exec(rest);
  if (!task) return { words: query };
  out.kernel = task[1] ?? "";
  const indices = task[2]?.split(/[\s,]+/).filter(Boolean) ?? [];
  indices.forEach((index, i) => (out["kmn"[i]] = /^\d+$/.test(index) ? Number(index) : index === "*" ? null
    : none));
  return out;
}

/** Returns the tasks of a run that a query asks for. */
export function tasksOf(run, query) {
  const { tasks } = run, list = [];
  if (!tasks || !query || query.words) return list;
  const { k, m, n, kernel, number } = tasks, indexed = k.length > 0;
  if ("number" in query) {
    const at = number.length ? number.indexOf(query.number) : query.number;
    return at >= 0 && at < tasks.count ? [at] : list;
  }
  if (query.tile) {
    const [row, column] = query.tile; // an index that a task lacks is that of its iteration
    for (let i = 0; indexed && i < tasks.count; ++i)
      if ((m[i] === none ? k[i] : m[i]) === row && (n[i] === none ? k[i] : n[i]) === column) list.push(i);
    return list;
  }
  const fits = run.kernels.map(({ name }) => name.toLowerCase().startsWith(query.kernel));
  const asks = query.k !== null || query.m !== null || query.n !== null;
  if (!fits.includes(true) || (asks && !indexed)) return list;
  for (let i = 0; i < tasks.count; ++i)
    if (fits[kernel[i]] && (query.k === null || k[i] === query.k) && (query.m === null || m[i] === query.m) &&
      (query.n === null || n[i] === query.n)) list.push(i);
  return list;
}

/** Returns the node that words name: its number, name or label, or a worker of it; or -1. */
export function nodeOf(run, words) {
  const name = words.replace(/^node\s+/, "").trim();
  const exact = run.nodes.findIndex((node) => [node.name, node.label].some((t) => t.toLowerCase() === name));
  if (exact >= 0) return exact;
  const part = run.nodes.findIndex((node) => node.label.toLowerCase().includes(name));
  return part >= 0 ? part : run.workers.find((w) => w.name.toLowerCase() === name)?.node ?? -1;
}

/** The box of the search. Found tasks are emphasized; Enter goes from one to the next. */
export class Search {
  constructor(runs, view) {
    Object.assign(this, { runs, view, place: -1, all: [] });
    const indices = runs.some((run) => run.tasks?.k.length) ? "gemm(3, 5, 7); gemm k=3; (3, *, 7); tile 5 7; " : "";
    this.input = element("input", { type: "search", id: "search", "aria-label": "Search a task or node",
      placeholder: "task or node (/)",
      title: `${indices}#120; node 2. Enter, Shift + Enter: next, previous`,
      oninput: () => this.find(), onkeydown: (event) => event.key === "Enter" && this.next(event.shiftKey ? -1
        : 1) });
    this.count = element("span", { class: "found", role: "status" });
  }

  get text() {
    return this.input.value;
  }

  set text(value) {
    this.input.value = value;
    this.find();
  }

  find() {
    const query = parsed(this.text);
    this.place = -1;
    this.all = [];
    for (const run of this.runs) {
      const list = query && !query.words ? tasksOf(run, query) : [];
      run.found = null;
      if (list.length) {
        const { start } = run.tasks, is = new Uint8Array(run.tasks.count);
        list.sort((a, b) => start[a] - start[b]);
        for (const i of list) is[i] = 1;
        run.found = { is, list };
      }
      for (const index of list) this.all.push({ run, index });
    }
    // Words, or a name of a kernel that no task has, may name a node or a worker.
    const words = query && !this.all.length && (query.words ?? this.text.trim().toLowerCase());
    const node = words ? nodeOf(this.runs[0], words) : -1;
    if (node >= 0) this.view.set("node", node);
    this.count.textContent = !query ? "" : node >= 0 ? `node ${this.runs[0].nodes[node].name}`
      : `${grouped(this.all.length)} tasks`;
    this.view.changed("found");
  }

  /** Selects the next or the previous task that was found and brings it into sight. */
  next(by) {
    if (!this.all.length) return;
    this.place = (this.place + by + this.all.length + (this.place < 0 && by < 0 ? 1 : 0)) % this.all.length;
    const { run, index } = this.all[this.place];
    this.count.textContent = `${grouped(this.place + 1)} of ${grouped(this.all.length)}`;
    this.view.showTask(run, index);
  }
}
