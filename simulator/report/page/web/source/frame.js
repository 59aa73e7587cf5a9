// Common to all pages: the bar at the top, panels that can be hidden, light and dark colours, keys, the box
// beside the mouse.

import { csvOf, save, svgOf } from "./download.js";
import { Hover } from "./hover.js";
import { readTheme } from "./plot.js";
import { element, factList } from "./format.js";

export function button(text, title, onclick, id) {
  const name = /\w/.test(text) ? null : title; // of a sign, for screen readers
  return element("button", { text, title, onclick, id, type: "button", "aria-label": name });
}

export class Frame {
  constructor() {
    this.hover = new Hover();
    this.sections = new Map();
    readTheme();
  }

  /**
   * Builds the page. `left`, `right`: elements of the bar; `below`: elements under it; `help`: [key,
   * explanation].
   */
  lay({ left = [], right = [], help = [], below = [] }) {
    this.main = element("main", {});
    this.chips = element("div", { class: "chips", role: "group", "aria-label": "Panels" });
    this.menu = element("details", { class: "menu" }, element("summary", { text: "Panels" }), this.chips);
    this.spoken = element("div", { class: "spoken", role: "status" });
    addEventListener("click", (event) => this.menu.contains(event.target) || (this.menu.open = false));
    // Beside the page, which becomes narrower: what one asks about stays in sight.
    this.helpBox = element("aside", { class: "help", hidden: true, id: "helpbox", "aria-label": "Keys and mouse" },
      element("h2", { text: "Keys and mouse" }, button("×", "Close (?)", () => this.toggleHelp(false))),
      factList(help));
    const header = element("header", {},
      element("div", { class: "bar1" }, element("span", { class: "brand", text: "factosim" }), ...left,
        element("span", { class: "space" }), ...right, this.menu,
        button("◐", "Light or dark (t)", () => this.toggleTheme(), "theme"),
        button("?", "Keys and mouse (?)", () => this.toggleHelp(), "help")), ...below, this.helpBox, this.spoken);
    this.main.append(this.hover.box);
    document.body.append(header, this.main);
    addEventListener("resize", () => this.redraw("size"));
    addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme());
  }

  toggleTheme() {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    this.setTheme(dark ? "light" : "dark");
  }

  setTheme(name) {
    if (name) document.documentElement.dataset.theme = name;
    readTheme();
    this.redraw("theme");
  }

  toggleHelp(open = this.helpBox.hidden) {
    if (this.helpBox.hidden !== open) return;
    this.helpBox.hidden = !open;
    document.body.classList.toggle("helping", open);
    this.redraw("size");
  }

  /** Returns the action of each key. */
  actions() {
    return { t: () => this.toggleTheme(), "?": () => this.toggleHelp(), Escape: () => this.clear() };
  }

  key(event) {
    if (event.target.matches("select, input, textarea") && event.key !== "Escape") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.actions()[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  clear() {
    this.toggleHelp(false);
    this.menu.open = false;
  }

  /** Tells screen readers what has changed, when nothing has changed for a moment. */
  speak(text) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => (this.spoken.textContent = text), 500);
  }

  /** Adds the buttons that save a panel. `csv()`: its table; `plots()`: the charts in it. */
  downloads(id, csv, plots = () => []) {
    const { section, tools } = this.sections.get(id), title = section.querySelector("h2").firstChild.data;
    const name = `${document.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "factosim"}-${id}`;
    const drawn = () => {
      const charts = plots();
      for (const chart of charts) chart.visible = true; // a chart out of sight is not painted
      return svgOf(section, charts.map((chart) => chart.plot));
    };
    this.files ??= new Map();
    this.files.set(id, { svg: drawn, csv: () => csvOf(csv()) });
    const { svg, csv: table } = this.files.get(id);
    const of = (kind, title) => element("button", { type: "button", text: kind, title, class: "save",
      "aria-label": title, onclick: () => (kind === "SVG" ? save(`${name}.svg`, "image/svg+xml", svg())
        : save(`${name}.csv`, "text/csv", table())) });
    tools.append(element("span", { class: "saves" }, of("SVG", `Save "${title}" as it is drawn, as SVG`),
      of("CSV", `Save the data of "${title}" as CSV`)));
  }

  /** Adds a panel, and the button that hides and shows it. */
  section(id, title, note = "", shown = true) {
    const body = element("div", { class: "body" });
    const chip = element("button", { text: title, type: "button", "aria-pressed": String(shown),
      "data-panel": id, onclick: () => this.toggle(id) });
    const tools = element("span", { class: "tools" });
    const section = element("section", { id, hidden: !shown }, element("h2", { text: title }, tools),
      note ? element("p", { class: "note", text: note }) : null, body);
    this.chips.append(chip);
    this.main.append(section);
    this.sections.set(id, { section, chip, body, tools });
    return this.sections.get(id);
  }

  toggle(id) {
    const { section, chip } = this.sections.get(id);
    section.hidden = !section.hidden;
    chip.setAttribute("aria-pressed", String(!section.hidden));
    if (!section.hidden) this.redraw("size");
  }
}
