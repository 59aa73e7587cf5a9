// The visible time range and the selection, shared by all panels: node, iteration, task, range of time.
// Panels listen for changes and draw at most once per frame.

export class View {
  constructor(end) {
    this.start = 0; // of the earliest run
    this.end = end; // of the longest run
    this.t0 = 0;
    this.t1 = end;
    this.node = null; // index
    this.iteration = null; // k
    this.task = null; // {run, index}
    this.range = null; // {t0, t1}: selected, for statistics
    this.chain = false;
    this.moving = false;
    this.listeners = [];
    this.pending = new Set();
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Notifies the listeners before the next frame. `what`: "time", "rest", "node", "iteration", "task",
   * "range", "chain", "found", "theme", "size", "tasks".
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

  get length() {
    return this.end - this.start;
  }

  isWhole() {
    return this.t1 - this.t0 >= this.length * (1 - 1e-12);
  }

  showTime(t0, t1) {
    const minimum = this.length * 1e-7;
    const length = Math.min(Math.max(t1 - t0, minimum), this.length);
    const from = Math.min(Math.max(t0, this.start), this.end - length);
    if (from === this.t0 && from + length === this.t1) return;
    this.t0 = from;
    this.t1 = from + length;
    // Panels of very many tasks draw cells while the view moves, and every task when it rests.
    this.moving = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.moving = false;
      this.changed("rest");
    }, 160);
    this.changed("time");
  }

  /** Zooms by a factor around a date; factors below 1 zoom in. */
  zoom(factor, around = (this.t0 + this.t1) / 2) {
    this.showTime(around - (around - this.t0) * factor, around - (around - this.t0) * factor +
      (this.t1 - this.t0) * factor);
  }

  /** Moves by a share of the visible range, which keeps its length. */
  pan(share) {
    const length = this.t1 - this.t0;
    const from = Math.min(Math.max(this.t0 + length * share, this.start), this.end - length);
    this.showTime(from, from + length);
  }

  /** Moves a date into sight, with the length of the visible range. */
  reveal(from, to) {
    const length = Math.max(this.t1 - this.t0, 3 * (to - from));
    if (from >= this.t0 && to <= this.t1) return;
    this.showTime((from + to) / 2 - length / 2, (from + to) / 2 + length / 2);
  }

  /** Selects a task and moves it into sight. */
  showTask(run, index) {
    const { start, duration, tick_s: tick } = run.tasks, from = start[index] * tick - run.shift;
    this.set("task", { run, index });
    this.reveal(from, from + duration[index] * tick);
  }

  reset() {
    this.showTime(this.start, this.end);
  }

  /** Sets the limits of the visible range and shows all of it. */
  setLimits(start, end) {
    this.start = start;
    this.end = end;
    this.reset();
    this.changed("time");
  }

  set(what, value) {
    if (this[what] === value) return;
    this[what] = value;
    this.changed(what);
  }
}

/**
 * The view in the time of one run: its dates are those of the view plus the shift that aligns the run. Panels
 * of the run see nothing else.
 */
export class TimeOfRun {
  constructor(view, run) {
    Object.assign(this, { view, run });
    for (const name of ["iteration", "task", "chain", "moving"])
      Object.defineProperty(this, name, { get: () => view[name] });
    for (const name of ["pan", "reset", "set"]) this[name] = (...values) => view[name](...values);
  }

  /** The selected node; null if the run has no such node. */
  get node() {
    return this.view.node < this.run.nodes.length ? this.view.node : null;
  }

  get t0() {
    return this.view.t0 + this.run.shift;
  }

  get t1() {
    return this.view.t1 + this.run.shift;
  }

  /** The selected range of time, or null. */
  get range() {
    const { range } = this.view, { shift } = this.run;
    return range && { t0: range.t0 + shift, t1: range.t1 + shift };
  }

  /** The selected range, or else the visible one, within the run. */
  get span() {
    const { t0, t1 } = this.range ?? this;
    return { t0: Math.max(0, t0), t1: Math.max(0, Math.min(this.run.makespan_s, t1)) };
  }

  showTime(t0, t1) {
    this.view.showTime(t0 - this.run.shift, t1 - this.run.shift);
  }

  selectRange(t0, t1) {
    this.view.set("range", { t0: t0 - this.run.shift, t1: t1 - this.run.shift });
  }

  zoom(factor, around) {
    this.view.zoom(factor, around - this.run.shift);
  }
}
