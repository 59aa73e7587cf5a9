// Tables of results, and the commands that reproduce them.

import { bytes, element, grouped, percent, rate, seconds, signed, trimmed } from "./format.js";

export function table(head, rows, { numeric = true } = {}) {
  const cells = (tag, values) =>
    values.map((v, i) => element(tag, { text: v === null || v === undefined ? "–" : String(v),
    class: numeric && i > 0 ? "number" : null, scope: tag === "th" ? "col" : null }));
  return element("div", { class: "scroll", tabindex: 0 },
    element("table", {}, element("thead", {}, element("tr", {}, ...cells("th", head))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row))))));
}

const formats = {
  s: seconds, B: bytes, share: percent, "GFlop/s": rate, J: (v) => trimmed(v / 1000, 4) + " kJ", "": grouped,
};

const short = (value) => value.toFixed(1);

/** Adds the table of totals, with differences to the first run. Cells hold the exact numbers as data. */
export function resultTable(runs, names, parent) {
  const byName = runs.map((run) => new Map(run.totals.map((total) => [total.name, total])));
  const units = new Map(runs.flatMap((run) => run.totals.map(({ name, unit }) => [name, unit])));
  const cellOf = (name, totals) => {
    const value = totals.get(name)?.value, base = byName[0].get(name)?.value;
    if (value === undefined) return "–";
    const text = formats[units.get(name)](value);
    if (totals === byName[0] || !base) return text;
    if (units.get(name) === "share" && value !== base) return `${text}  (${signed((value - base) * 100, short)} points)`;
    if (value === base) return `${text}  (=)`;
    const change = (value / base - 1) * 100;
    return `${text}  (${signed(change, short)} %)`;
  };
  const rows = [...units.keys()].map((name) => [name, ...byName.map((totals) => cellOf(name, totals))]);
  const out = table(["quantity", ...names], rows);
  out.querySelectorAll("tbody tr").forEach((row, r) => {
    row.dataset.name = rows[r][0];
    [...row.children].slice(1).forEach((cell, i) => {
      const exact = byName[i].get(rows[r][0])?.value;
      if (exact !== undefined) cell.dataset.value = cell.title = String(exact);
    });
  });
  parent.append(out);
}

/** Adds the four numbers that one asks for first. */
export function keyNumbers(run, parent) {
  const bounds = run.bounds.filter(({ name, seconds }) => name !== "makespan" && seconds !== null);
  const bound = bounds.find(({ name }) => name === "bound of the problem") ??
    bounds.sort((a, b) => b.seconds - a.seconds)[0];
  const total = (of) => run.totals.find(({ name }) => name === of)?.value, limit = run.diagnosis?.limit;
  const [use, cores] = run.statistics.busyOfRun().split(", ").reverse();
  const tiles = [[seconds(run.makespan_s), "makespan"],
    bound && [percent(bound.seconds / run.makespan_s), `efficiency: ${bound.name} ${seconds(bound.seconds)}`],
    [use.replace("GPUs ", ""), cores ? `GPUs busy; ${cores}` : "workers busy"],
    limit ? [limit.replaceAll("-", " "), limit === "none" ? "single limit" : "limit"]
      : [grouped(total("tasks")), "tasks"]];
  parent.append(element("dl", { class: "numbers" }, ...tiles.filter(Boolean).map(([value, name]) =>
    element("div", {}, element("dt", { text: name }), element("dd", { text: value })))));
}

function nodeTable(run) {
  const result = run.result?.nodes ?? [];
  const rows = run.nodes.map((n, i) => [n.label, grouped(n.workers), grouped(n.tasks),
    run.statistics.busyOfRun(i), seconds(n.abe_s),
    seconds(n.first_task_s), seconds(n.last_task_s),
    ...(result[i] ? [grouped(result[i].tiles_sent), grouped(result[i].tiles_received),
      bytes(result[i].peak_memory_bytes)] : []),
  ]);
  const more = result.length ? ["data sent", "received", "peak memory"] : [];
  return table(["node", "workers", "tasks", "busy", "area bound", "first task", "last end", ...more], rows);
}

function kernelTable(run) {
  return table(["kernel", "on", "tasks", "mean", "standard deviation"],
    run.kernel_times.map((k) => [k.kernel, k.resource, grouped(k.tasks), seconds(k.mean_s),
      percent(k.mean_s > 0 ? k.deviation_s / k.mean_s : 0)]));
}

export const folded = (title, content, open = false) =>
  element("details", { open }, element("summary", { text: title }), content);

export function detailTables(run, parent) {
  parent.append(folded(`Nodes (${run.nodes.length})`, nodeTable(run), run.nodes.length <= 8));
  if (run.kernel_times.length) parent.append(folded("Kernels", kernelTable(run), true));
  const bounds = run.result?.bounds?.abe_per_node_s;
  if (bounds && bounds.length > 1) parent.append(folded("Area bound of each node",
      table(["node", "area bound"], bounds.map((b, n) => [run.nodes[n]?.name ?? n, seconds(b)]))));
  if (run.result?.messages?.length)
    parent.append(folded("Messages between phases", table(["from", "to", "data", "count", "bytes"],
      run.result.messages.map((m) => [m.from, m.to, m.data, grouped(m.count), bytes(m.bytes)]))));
}

/** Quotes a word for a shell. */
export const quoted = (word) =>
  /^[A-Za-z0-9_./=:,+-]+$/.test(word) ? word : "'" + word.replace(/'/g, `'\\''`) + "'";

export function commandOf(run) {
  const from = run.result?.provenance;
  if (!from?.scenario) return null;
  return ["factosim run", quoted(from.scenario), ...(from.settings ?? []).map((s) => "--set " + quoted(s)),
    "--out DIR"].join(" ");
}

export function provenancePanel(run, parent) {
  const block = (text) => element("pre", { text, tabindex: 0 });
  const command = commandOf(run);
  parent.append(element("p", { text: `${run.source} (${run.format})` }));
  if (command) parent.append(folded("Simulate it again", block(command), true));
  if (run.scenario_text) parent.append(folded("Scenario file when this report was made",
    block(run.scenario_text)));
  if (run.result) parent.append(folded("result.json, with all effective options",
    block(JSON.stringify(run.result, null, 1))));
  if (!command && !run.result) parent.append(element("p",
    { text: "The trace does not record how it was made." }));
}
