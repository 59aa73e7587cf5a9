// The visible time range and the selection, shared by all panels: node, iteration, task. Panels listen for
// changes and draw at most once per frame.

export class View {
  constructor(end) {
    this.end = end; // of the longest run
    this.t0 = 0;
    this.t1 = end;
    this.node = null; // index
    this.iteration = null; // k
    this.task = null; // {run, index}
    this.chain = false;
    this.moving = false;
    this.listeners = [];
    this.pending = new Set();
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Notifies the listeners before the next frame. `what`: "time", "node", "iteration", "task", "chain",
   * "theme".
   */
  changed(what) {
    if (this.pending.size === 0) requestAnimationFrame(() => this.notify());
    this.pending.add(what);
  }

  notify() {
    const changes = this.pending;
    this.pending = new Set();
    for (const listener of this.listeners) listener(changes);
  }

  showTime(t0, t1) {
    const minimum = this.end * 1e-7;
    let length = Math.min(Math.max(t1 - t0, minimum), this.end);
    let from = Math.min(Math.max(t0, 0), this.end - length);
    if (from === this.t0 && from + length === this.t1) return;
    this.t0 = from;
    this.t1 = from + length;
    // Panels of very many tasks draw cells while the view moves, and every task when it rests.
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.moving = false;
      this.changed("time");
    }, 160);
    this.changed("time");
  }

  /** Zooms by a factor around a date; factors below 1 zoom in. */
  zoom(factor, around = (this.t0 + this.t1) / 2) {
    this.showTime(around - (around - this.t0) * factor, around - (around - this.t0) * factor +
      (this.t1 - this.t0) * factor);
  }

  pan(share) {
    const by = (this.t1 - this.t0) * share;
    const length = this.t1 - this.t0;
    const from = Math.min(Math.max(this.t0 + by, 0), this.end - length);
    this.showTime(from, from + length);
  }

  reset() {
    this.showTime(0, this.end);
  }

  set(what, value) {
    if (this[what] === value) return;
    this[what] = value;
    this.changed(what);
  }
}
