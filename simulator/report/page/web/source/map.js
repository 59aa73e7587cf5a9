// The panel of the distribution: the owner of each tile.

import { barRow } from "./bounds.js";
import { canvasOf, rgbOf } from "./raster.js";
import { theme } from "./plot.js";
import { element, grouped } from "./format.js";

const side = 380; // of the map, in pixels

export class MapPanel {
  constructor(run, view, parent, hover) {
    Object.assign(this, { run, view, hover });
    this.canvas = element("canvas",
      { class: "map", role: "img", tabindex: 0, "aria-label": `Owners of ${run.map.mt} by ${run.map.nt} tiles` });
    this.list = element("div", { class: "bars" });
    parent.append(element("div", { class: "mapbox" }, this.canvas, this.list));
    this.colors = run.map.colors.map(rgbOf);
    this.canvas.addEventListener("mousemove", (event) => this.point(event));
    this.canvas.addEventListener("mouseleave", () => hover.hide());
    this.canvas.addEventListener("click", (event) => {
      const owner = this.tileAt(event).owner;
      if (owner !== 65535) view.set("node", view.node === owner ? null : owner);
    });
    this.bars();
    this.draw();
  }

  tileAt(event) {
    const box = this.canvas.getBoundingClientRect(), { mt, nt, owner } = this.run.map;
    const n = Math.min(nt - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * nt)));
    const m = Math.min(mt - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * mt)));
    return { m, n, owner: owner[m * nt + n] };
  }

  point(event) {
    const { m, n, owner } = this.tileAt(event);
    if (owner === 65535) return this.hover.hide();
    const node = this.run.nodes[owner];
    this.hover.show({ event }, `tile (${m}, ${n})`, [["owner", `node ${node.label}`],
      ["which owns", `${grouped(this.run.map.node_tiles[owner])} tiles`]]);
  }

  draw() {
    const { mt, nt, owner } = this.run.map;
    const image = new ImageData(nt, mt);
    owner.forEach((o, i) => {
      if (o === 65535) return;
      const [r, g, b] = this.colors[o];
      image.data.set([r, g, b, this.view.node === null || this.view.node === o ? 255 : 40], i * 4);
    });
    const ratio = devicePixelRatio, scale = side / Math.max(mt, nt);
    this.canvas.style.width = nt * scale + "px";
    this.canvas.style.height = mt * scale + "px";
    this.canvas.width = Math.round(nt * scale * ratio);
    this.canvas.height = Math.round(mt * scale * ratio);
    const ctx = this.canvas.getContext("2d");
    ctx.fillStyle = theme().paper;
    ctx.fillRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.imageSmoothingEnabled = Math.max(mt, nt) > side * ratio;
    ctx.drawImage(canvasOf(image), 0, 0, this.canvas.width, this.canvas.height);
    this.list.querySelectorAll("button").forEach((row) => row.setAttribute("aria-pressed",
      String(this.view.node === Number(row.dataset.node))));
  }

  bars() {
    const tiles = this.run.map.node_tiles, maximum = Math.max(...tiles, 1);
    tiles.forEach((count, n) => this.list.append(barRow(this.run.nodes[n].label, count / maximum, grouped(count),
      { tag: "button", class: "barrow", color: this.run.map.colors[n], "data-node": n,
        onclick: () => this.view.set("node", this.view.node === n ? null : n) })));
  }
}
