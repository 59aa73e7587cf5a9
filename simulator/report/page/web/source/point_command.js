// The commands with which the run of a point can be looked at.

import { quoted } from "./tables.js";

/** Returns the commands that simulate a point and make its page; null if its settings are unknown. */
export function commandOf({ points, sweep }, i) {
  const { scenario, settings } = sweep.origin;
  if (!scenario || !settings) return null;
  const set = [...settings];
  for (const key of sweep.keys) {
    const column = points.column(key);
    if (column.values[i] === null) continue;
    const value = sweep.values[key]?.[column.text(i)] ?? column.values[i];
    set.push(`/${key}=${JSON.stringify(value)}`);
  }
  if (points.value("replica", i) > 0) set.push(`/seed=${points.column("seed").text(i)}`);
  const run = quoted(`${sweep.source}/runs/${points.value("id", i)}`);
  const options = set.map((s) => "--set " + quoted(s)).join(" ");
  return `factosim run ${quoted(scenario)} ${options} --out ${run}\nfactosim report ${run} -o ${run}/report.html`;
}
