// Numbers of the result, and what it takes to get them again.

import { boundsOf } from "./bounds.js";
import { bytes, element, grouped, percent, seconds, trimmed } from "./words.js";

export function table(head, rows, { numeric = true } = {}) {
  const cells = (tag, values) => values.map((v, i) => element(tag, { text: v === null || v === undefined ? "–" : String(v), class: numeric && i > 0 ? "number" : null, scope: tag === "th" ? "col" : null }));
  return element("div", { class: "scroll" },
    element("table", {}, element("thead", {}, element("tr", {}, ...cells("th", head))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row))))));
}

/** Rows of the first table: name, value of a run, its words; differences are told of numbers. */
const totals = [
  ["makespan", (r) => r.result?.makespan_s ?? r.makespan_s, seconds],
  ["GFlop/s", (r) => r.result?.gflops, (v) => trimmed(v, 5)],
  ["tasks", (r) => r.result?.tasks ?? r.tasks, grouped],
  ["workers", (r) => r.workers_total, grouped],
  ["nodes", (r) => r.nodes.length, grouped],
  ["utilization", (r) => r.result?.utilization ?? r.nodes.reduce((s, n) => s + n.busy_s, 0) / (r.workers_total * r.makespan_s), percent],
  ["utilization within the first 90 %", (r) => r.result?.utilization_first_90, percent],
  ["area bound", (r) => r.result?.bounds?.abe_s ?? r.abe_s, seconds],
  ["critical path", (r) => r.result?.bounds?.critical_path_s ?? r.critical_path_s, seconds],
  ["critical path with messages", (r) => r.result?.bounds?.critical_path_with_comm_s, seconds],
  ["tiles sent", (r) => r.result?.tiles_sent ?? r.messages.reduce((s, m) => s + m.transfers, 0), grouped],
  ["bytes sent", (r) => r.result?.bytes_sent ?? r.messages.reduce((s, m) => s + m.bytes, 0), bytes],
  ["RAM to GPU", (r) => r.result?.transfers?.h2d_bytes ?? copied(r, "h2d"), bytes],
  ["GPU to RAM", (r) => r.result?.transfers?.d2h_bytes ?? copied(r, "d2h"), bytes],
  ["GPU to GPU", (r) => r.result?.transfers?.d2d_bytes ?? copied(r, "d2d"), bytes],
  ["energy", (r) => r.result?.energy?.total_J, (v) => trimmed(v / 1000, 4) + " kJ"],
];

function copied(run, name) {
  return run.copies.find((c) => c.name === name)?.bytes;
}

export function resultTable(runs, names, parent) {
  const rows = [];
  for (const [name, value, words] of totals) {
    const values = runs.map(value);
    if (values.every((v) => v === undefined || v === null)) continue;
    const cells = values.map((v, i) => {
      if (v === undefined || v === null) return "–";
      const base = values[0], differs = i > 0 && typeof base === "number" && base !== 0;
      const change = differs ? (v / base - 1) * 100 : 0;
      return words(v) + (differs ? `  (${change >= 0 ? "+" : ""}${change.toFixed(1)} %)` : "");
    });
    rows.push([name, ...cells]);
  }
  const out = table(["", ...names], rows);
  // The exact numbers, for those who copy them.
  out.querySelectorAll("tbody tr").forEach((row, r) => {
    const entry = totals.find(([name]) => name === rows[r][0]);
    row.dataset.name = entry[0];
    [...row.children].slice(1).forEach((cell, i) => {
      const exact = entry[1](runs[i]);
      if (exact !== undefined && exact !== null) cell.dataset.value = cell.title = String(exact);
    });
  });
  parent.append(out);
}

function nodeTable(run) {
  const result = run.result?.nodes ?? [];
  const rows = run.nodes.map((n, i) => [
    n.type && n.type !== n.name ? `${n.name} ${n.type}` : n.name,
    grouped(n.workers), grouped(n.tasks), percent(n.busy_s / (n.workers * run.makespan_s)), seconds(n.abe_s),
    seconds(n.first_task_s), seconds(n.last_task_s),
    ...(result[i] ? [grouped(result[i].tiles_sent), grouped(result[i].tiles_received), bytes(result[i].peak_memory_bytes)] : []),
  ]);
  const more = result.length ? ["tiles sent", "received", "peak memory"] : [];
  return table(["node", "workers", "tasks", "busy", "area bound", "first task", "last end", ...more], rows);
}

function kernelTable(run) {
  return table(["kernel", "on", "tasks", "mean", "deviation"],
    run.kernel_times.map((k) => [k.kernel, k.resource, grouped(k.tasks), seconds(k.mean_s), percent(k.mean_s > 0 ? k.deviation_s / k.mean_s : 0)]));
}

export function folded(title, content, open = false) {
  return element("details", { open }, element("summary", { text: title }), content);
}

export function detailTables(run, parent) {
  parent.append(folded(`Nodes (${run.nodes.length})`, nodeTable(run), run.nodes.length <= 8));
  if (run.kernel_times.length) parent.append(folded("Kernels", kernelTable(run), true));
  const bounds = run.result?.bounds?.abe_per_node_s;
  if (bounds && bounds.length > 1)
    parent.append(folded("Area bound of each node", table(["node", "area bound"], bounds.map((b, n) => [run.nodes[n]?.name ?? n, seconds(b)]))));
  if (run.result?.messages?.length)
    parent.append(folded("Messages between phases", table(["from", "to", "data", "count", "bytes"],
      run.result.messages.map((m) => [m.from, m.to, m.data, grouped(m.count), bytes(m.bytes)]))));
}

/** A word as a shell reads it. */
export function quoted(word) {
  return /^[A-Za-z0-9_./=:,+-]+$/.test(word) ? word : "'" + word.replace(/'/g, `'\\''`) + "'";
}

export function commandOf(run) {
  const from = run.result?.provenance;
  if (!from?.scenario) return null;
  return ["factosim run", quoted(from.scenario), ...(from.settings ?? []).map((s) => "--set " + quoted(s)), "--out DIR"].join(" ");
}

export function provenancePanel(run, parent) {
  const block = (text) => element("pre", { text });
  const command = commandOf(run);
  parent.append(element("p", { text: `${run.source} (${run.format})` }));
  if (command) parent.append(folded("Simulate it again", block(command), true));
  if (run.scenario_text) parent.append(folded("Scenario file, as it was when this report was made", block(run.scenario_text)));
  if (run.result) parent.append(folded("result.json, with every option in force", block(JSON.stringify(run.result, null, 1))));
  if (!command && !run.result) parent.append(element("p", { text: "The trace tells nothing of how it was made." }));
}

export { boundsOf };
