// The panels "Bounds" and "Where the time went".

import { element, percent, seconds, swatch } from "./format.js";

export function boundsPanel(run, longest, parent) {
  for (const { name, seconds: value, meaning } of run.bounds) {
    if (value === null) continue;
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

export function lostPanel(run, longest, parent) {
  for (const { title, parts } of run.breakdowns) {
    const bar = element("div", { class: "stack" });
    const keys = element("div", { class: "keys" });
    for (const part of parts) {
      const piece = element("span",
        { class: part.wait ? "piece wait" : "piece", title: `${part.name}: ${seconds(part.seconds)}` });
      piece.style.width = (100 * part.seconds) / longest + "%";
      piece.style.background = part.color;
      bar.append(piece);
      const key = swatch(part.color, `${part.name} `);
      key.append(element("b", { text: seconds(part.seconds) }),
        document.createTextNode(` ${percent(part.seconds / run.makespan_s)}`));
      keys.append(key);
    }
    parent.append(element("p", { class: "stacktitle", text: title }), bar, keys);
  }
}
