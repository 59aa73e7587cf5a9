// Bounds, and where the time went.

import { element, percent, seconds, swatch } from "./words.js";

/** Names and values of what no schedule beats, from result.json where there is one. */
export function boundsOf(run) {
  const bounds = run.result?.bounds;
  if (!bounds)
    return [
      ["makespan", run.makespan_s, "measured"],
      ["area bound", run.abe_s, "all workers busy all the time, with the run's own means"],
      ["critical path", run.critical_path_s, "its longest chain of tasks, with their own durations"],
    ].filter(([, value]) => value !== null);
  const perNode = bounds.abe_per_node_s ?? [];
  return [
    ["makespan", run.result.makespan_s, "from the first submission to the last end"],
    ["area bound", bounds.abe_s, "all workers busy all the time"],
    perNode.length > 1 ? ["area bound of the most loaded node", Math.max(...perNode), "with the tasks that the distribution gives it"] : null,
    ["critical path", bounds.critical_path_s, "the longest chain of tasks"],
    bounds.critical_path_with_comm_s > bounds.critical_path_s
      ? ["critical path with messages", bounds.critical_path_with_comm_s, "and their tiles at full bandwidth"]
      : null,
  ].filter(Boolean);
}

export function boundsPanel(run, longest, parent) {
  for (const [name, value, meaning] of boundsOf(run)) {
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

/** Parts of an account: kernels by name, then waits: {name, color, seconds}. */
function partsOf(run, account) {
  const kernels = new Map();
  for (const { kernel, seconds: s } of account.kernels) kernels.set(kernel, (kernels.get(kernel) ?? 0) + s);
  const color = new Map(run.kernels.map((k) => [k.name, k.color]));
  const parts = [...kernels].map(([name, s]) => ({ name, seconds: s, color: color.get(name) ?? "#888888", kernel: true }));
  account.wait.forEach(({ seconds: s }, w) => parts.push({ name: run.wait_names[w].name, seconds: s, color: run.wait_names[w].color }));
  return parts.filter((p) => p.seconds > 0);
}

export function lostPanel(run, longest, parent) {
  const accounts = [
    [`The chain of ${run.chain.tasks} tasks that the end waited for`, run.chain],
    ["What a worker did, in the mean", run.per_worker],
  ];
  for (const [title, account] of accounts) {
    const parts = partsOf(run, account), bar = element("div", { class: "stack" });
    const keys = element("div", { class: "keys" });
    for (const part of parts) {
      const piece = element("span", { class: part.kernel ? "piece" : "piece wait", title: `${part.name}: ${seconds(part.seconds)}` });
      piece.style.width = (100 * part.seconds) / longest + "%";
      piece.style.background = part.color;
      bar.append(piece);
      const key = swatch(part.color, `${part.name} `);
      key.append(element("b", { text: seconds(part.seconds) }), document.createTextNode(` ${percent(part.seconds / run.makespan_s)}`));
      keys.append(key);
    }
    parent.append(element("p", { class: "stacktitle", text: title }), bar, keys);
  }
}
