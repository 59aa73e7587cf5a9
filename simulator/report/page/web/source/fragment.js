// The view in the fragment of the page's address: a link shows the same.

/** Returns the fragment of a view: "t=1.5,3&node=2". What is as at first is left out. */
export function fragmentOf(page) {
  const { view, runs } = page, out = new URLSearchParams();
  const short = (v) => String(Number(v.toPrecision(12)));
  if (page.alignment !== "start") out.set("align", page.alignment);
  if (!view.isWhole()) out.set("t", `${short(view.t0)},${short(view.t1)}`);
  if (view.range) out.set("range", `${short(view.range.t0)},${short(view.range.t1)}`);
  if (view.node !== null) out.set("node", view.node);
  if (view.iteration !== null) out.set("k", view.iteration);
  if (view.task) out.set("task", `${runs.indexOf(view.task.run)},${view.task.index}`);
  if (view.chain) out.set("chain", 1);
  if (page.search.text) out.set("find", page.search.text);
  if (document.body.classList.contains("beside")) out.set("beside", 1);
  const hidden = [...page.sections].filter(([, { section }]) => section.hidden).map(([id]) => id);
  if (hidden.length) out.set("hide", hidden.join(","));
  return out.toString();
}

function numbers(text, count) {
  if (!text) return null;
  const out = text.split(",").map(Number);
  return out.length === count && out.every(Number.isFinite) ? out : null;
}

/** Shows what a fragment says. Parts that do not fit this page are ignored. Tasks must have been unpacked. */
export function showFragment(page, fragment) {
  const { view, runs } = page, from = new URLSearchParams(fragment);
  page.align(from.get("align") ?? "start");
  const t = numbers(from.get("t"), 2), range = numbers(from.get("range"), 2);
  if (t && t[1] > t[0]) view.showTime(...t);
  else view.reset();
  view.set("range", range && range[1] > range[0] ? { t0: range[0], t1: range[1] } : null);
  const index = (name, fits) => {
    const value = numbers(from.get(name), 1)?.[0];
    return value !== undefined && Number.isInteger(value) && fits(value) ? value : null;
  };
  view.set("node", index("node", (n) => n >= 0 && runs.some((run) => n < run.nodes.length)));
  view.set("iteration", index("k", (k) => runs.some((run) => run.iterations.some((i) => i[0] === k))));
  page.search.text = from.get("find") ?? "";
  const task = numbers(from.get("task"), 2), run = task && runs[task[0]];
  const there = run?.tasks && Number.isInteger(task[1]) && task[1] >= 0 && task[1] < run.tasks.count;
  view.set("task", there ? { run, index: task[1] } : null);
  view.set("chain", from.get("chain") === "1");
  document.body.classList.toggle("beside", runs.length > 1 && from.get("beside") === "1");
  const hidden = new Set((from.get("hide") ?? "").split(","));
  for (const [id, { section }] of page.sections) if (section.hidden !== hidden.has(id)) page.toggle(id);
  view.changed("size");
}
