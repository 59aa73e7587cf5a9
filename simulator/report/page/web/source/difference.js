// What differs between runs: the keys of their scenarios, and the causes of the difference of two makespans.

import { element, percent, seconds, signed } from "./format.js";
import { barRow } from "./bounds.js";
import { table } from "./tables.js";

/** Returns a value of a scenario as text: "2 chifflet + 4 chetemi" of nodes. */
function textOf(value) {
  if (Array.isArray(value) && value.length && value.every((v) => v?.type && v.count !== undefined))
    return value.map(({ count, type }) => `${count} ${type}`).join(" + ");
  return value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? "–");
}

/** Returns the values of options by pointer: "/scheduler/type". */
function leavesOf(options, path = "") {
  return Object.entries(options).flatMap(([key, value]) =>
    (value !== null && typeof value === "object" && !Array.isArray(value) ? leavesOf(value, `${path}/${key}`)
      : [[`${path}/${key}`, textOf(value)]]));
}

/** Returns the keys whose effective values differ between runs: [{key, name, values}]; null: a run has none. */
export function differingKeys(runs) {
  const all = runs.map(({ result }) => result?.provenance?.options &&
    new Map(leavesOf({ ...result.provenance.options, outputs: {}, seed: result.provenance.seed })));
  if (!all.every(Boolean)) return null;
  const keys = [...new Set(all.flatMap((of) => [...of.keys()]))];
  return keys.map((key) => {
    const word = key.replace(/\/type$/, "").split("/").at(-1).replaceAll("_", " ");
    return { key, name: word[0].toUpperCase() + word.slice(1), values: all.map((of) => of.get(key) ?? "–") };
  }).filter(({ values }) => new Set(values).size > 1);
}

const areFew = (keys) => keys?.length > 0 && keys.length <= 3;

/** Names of runs: those of their scenarios if they differ, else what else differs if that is little, else paths. */
export function namesOf(runs, keys) {
  const sources = runs.map((run) => run.source);
  const values = areFew(keys) ? runs.map((_, i) => keys.map((key) => key.values[i]).join(", ")) : [];
  const choices = [runs.map((run) => run.name), values, sources.map((path) => path.split("/").at(-1))];
  return choices.find((names) => new Set(names).size === runs.length) ?? sources;
}

/** Returns the title of the page of several runs: what differs, or their names. */
export function titleOf(runs, keys) {
  if (areFew(keys)) return keys.map(({ name, values }) => `${name}: ${values.join(" | ")}`).join("; ");
  return `${runs.length} runs: ${namesOf(runs, keys).join(" | ")}`;
}

/** Returns the answer in one sentence. */
export function verdictOf({ makespan, causes }) {
  const { difference_s: by, relative, distinction } = makespan;
  const than = by === 0 ? "B takes as long as A"
    : `B takes ${seconds(Math.abs(by))} (${percent(Math.abs(relative))}) ${by > 0 ? "longer" : "less"} than A`;
  const doubt = distinction && !distinction.distinct
    ? `; single runs differ as far (95 % within ${seconds(distinction.half_width_s)})` : "";
  return `${than}${doubt}.${causes && by !== 0 ? ` M${causes.verdict[0].slice(1)}.` : ""}`;
}

/** The causes of the difference of two runs, the largest first, with what is concluded from them. */
function causesBox({ makespan, causes }) {
  const parts = causes.parts.filter((part) => Math.abs(part.relative) >= 1e-3)
    .sort((a, b) => Math.abs(b.seconds) - Math.abs(a.seconds));
  const most = Math.abs(parts[0]?.seconds ?? 1);
  const title = `Where B − A = ${signed(makespan.difference_s, seconds)} comes from`;
  return element("div", {}, element("h3", { text: title }),
    ...parts.map((part) => barRow(part.cause, Math.abs(part.seconds) / most,
      `${signed(part.seconds, seconds)} (${signed(part.relative, percent)})`, { strong: part.seconds > 0 })),
    ...causes.verdict.slice(1).filter((line) => !line.startsWith("options")).map((text) =>
      element("p", { class: "note", text })));
}

/** Adds what differs between runs; `comparison`: of two runs. */
export function differencePanel(runs, keys, comparison, parent) {
  const shown = keys?.length
    ? table(["key", ...runs.map((_, i) => "ABCD"[i])], keys.map(({ key, values }) => [key, ...values]))
    : element("p", { class: "note", text: keys ? "No effective option differs."
      : "Not known: a run has no result.json that records its options." });
  parent.append(element("div", { class: "beside2" }, comparison?.causes ? causesBox(comparison) : null,
    element("div", {}, element("h3", { text: "What differs in the scenarios" }), shown)));
}
