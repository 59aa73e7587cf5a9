// Common to all pages: the bar at the top, panels that can be hidden, light and dark colours, keys, the box
// beside the mouse.

import { Hover } from "./hover.js";
import { readTheme } from "./plot.js";
import { element } from "./format.js";

export function button(text, title, onclick, id) {
  return element("button", { text, title, onclick, id, type: "button" });
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
    this.helpBox = element("dl", { class: "help", hidden: true, id: "helpbox" },
      ...help.flatMap(([key, what]) => [element("dt", { text: key }), element("dd", { text: what })]));
    const header = element("header", {},
      element("div", { class: "bar1" }, element("span", { class: "brand", text: "factosim" }), ...left,
        element("span", { class: "space" }), ...right,
        button("Light / dark", "Colours of the page (t)", () => this.toggleTheme(), "theme"),
        button("?", "Keys and mouse (?)", () => this.helpBox.toggleAttribute("hidden"), "help")),
      ...below, this.chips, this.helpBox);
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

  /** Returns the action of each key. */
  actions() {
    return { t: () => this.toggleTheme(), "?": () => this.helpBox.toggleAttribute("hidden"),
      Escape: () => this.clear() };
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
    this.helpBox.hidden = true;
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
