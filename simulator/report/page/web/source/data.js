// The data of the page: JSON, and compressed arrays that are unpacked when they are needed.

const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Unpacks an array of the page (format: page_file.hpp). */
export async function unpack(reference) {
  const element = document.getElementById("array" + reference.array);
  const packed = new Blob([bytesOfBase64(element.textContent)]);
  element.remove();
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const out = new types[reference.type](reference.length);
  const size = out.BYTES_PER_ELEMENT, count = reference.length;
  if (size === 1) return planes;
  const bytes = new Uint8Array(out.buffer);
  for (let plane = 0; plane < size; ++plane) {
    const from = plane * count;
    for (let i = 0, to = plane; i < count; ++i, to += size) bytes[to] = planes[from + i];
  }
  return out;
}

/** Unpacks every array that `object` holds, in place. */
async function unpackMembers(object) {
  await Promise.all(Object.entries(object).map(async ([key, value]) => {
      if (value === null || typeof value !== "object") return;
      if ("array" in value) object[key] = await unpack(value);
      else await unpackMembers(value);
    }),
  );
}

/** Reads everything except the single tasks. */
export async function readReport() {
  const report = JSON.parse(document.getElementById("report").textContent);
  await Promise.all((report.runs ?? []).map(async (run) => {
      const detail = run.detail;
      delete run.detail;
      await unpackMembers(run);
      run.packedDetail = detail;
    }),
  );
  if (report.sweep) await unpackMembers(report.sweep.metrics);
  return report;
}

export const noTask = 0xffffffff;

/**
 * Sorts items (tasks, idle times) into rows, by start date within each row. Starts are whole numbers below
 * 2^32. With `sorted`, the items of a row keep their order.
 */
function itemsByRow(rowCount, rowOf, start, duration, color, count, sorted = false) {
  const begin = new Uint32Array(rowCount + 1);
  for (let i = 0; i < count; ++i) ++begin[rowOf(i) + 1];
  for (let r = 0; r < rowCount; ++r) begin[r + 1] += begin[r];
  // One number per item is sorted, which is fast: its start in the high digits, its index in the low ones.
  const next = begin.slice(), keys = new Float64Array(count);
  const places = 2 ** Math.ceil(Math.log2(Math.max(2, count)));
  const sortable = !sorted && places <= 2 ** 21;
  for (let i = 0; i < count; ++i) keys[next[rowOf(i)]++] = sortable ? start[i] * places + i : i;
  const items = {
    begin,
    item: new Uint32Array(count),
    start: new Float64Array(count),
    end: new Float64Array(count),
    color: new Uint8Array(count),
  };
  for (let r = 0; r < rowCount; ++r) {
    const row = keys.subarray(begin[r], begin[r + 1]);
    if (sortable) row.sort();
    else if (!sorted) row.sort((a, b) => start[a] - start[b]);
  }
  for (let p = 0; p < count; ++p) {
    const i = sortable ? keys[p] % places : keys[p];
    items.item[p] = i;
    items.start[p] = start[i];
    items.end[p] = start[i] + duration[i];
    items.color[p] = color[i];
  }
  return items;
}

/** Returns the order in which workers are drawn: node after node. */
export function rowsOfWorkers(run) {
  const order = run.workers.map((_, w) => w);
  order.sort((a, b) => run.workers[a].node - run.workers[b].node || a - b);
  const rowOf = new Uint32Array(order.length);
  order.forEach((w, row) => (rowOf[w] = row));
  return { order, rowOf };
}

export function idleItems(run) {
  const { worker, state, from, length } = run.idle;
  return itemsByRow(run.workers.length, (i) => run.rows.rowOf[worker[i]], from, length, state, worker.length,
    true);
}

/** Unpacks the tasks of a run and sorts them into rows. Dates are in seconds. */
export async function readTasks(run) {
  if (!run.packedDetail) return null;
  // The arrays of the tasks are at the end of the page, which may still be loading.
  if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded",
    done, { once: true }));
  const tasks = run.packedDetail;
  delete run.packedDetail;
  await unpackMembers(tasks);
  const count = tasks.kernel.length, tick = tasks.tick_s;
  tasks.count = count;
  const seconds = (items) => {
    for (let p = 0; p < count; ++p) {
      items.start[p] *= tick;
      items.end[p] *= tick;
    }
    return items;
  };
  tasks.byWorker = seconds(
    itemsByRow(run.workers.length, (i) => run.rows.rowOf[tasks.worker[i]], tasks.start, tasks.duration,
      tasks.kernel, count));
  if (run.iterations.length && tasks.k.length) {
    const row = new Map(run.iterations.map((iteration, r) => [iteration[0], r]));
    tasks.byIteration = seconds(
      itemsByRow(run.iterations.length, (i) => row.get(tasks.k[i]) ?? 0, tasks.start, tasks.duration,
        tasks.kernel, count, true));
  }
  if (tasks.predecessors.length) {
    tasks.predecessorBegin = new Uint32Array(count + 1);
    for (let i = 0; i < count; ++i) tasks.predecessorBegin[i + 1] = tasks.predecessorBegin[i] +
      tasks.predecessors[i];
  }
  tasks.onChain = new Uint8Array(count);
  for (const t of tasks.chain) tasks.onChain[t] = 1;
  return tasks;
}

/** Returns the task that task `i` waited for according to the run, or -1. */
export function waitedTask(tasks, i) {
  const distance = tasks.waited_task[i];
  return distance === noTask ? -1 : i - (distance - 2 ** 31);
}

export function predecessorsOf(tasks, i) {
  if (!tasks.predecessorBegin) return [];
  const out = [];
  for (let p = tasks.predecessorBegin[i]; p < tasks.predecessorBegin[i + 1];
    ++p) out.push((i - tasks.predecessor[p]) >>> 0);
  return out;
}

/** Returns the tasks that depend on task `i`. O(dependencies); the last answer is kept. */
export function successorsOf(tasks, i) {
  if (!tasks.predecessorBegin) return [];
  if (tasks.successors?.of === i) return tasks.successors.list;
  const list = [], { predecessorBegin: begin, predecessor } = tasks;
  for (let t = 0; t < tasks.count; ++t)
    for (let p = begin[t]; p < begin[t + 1]; ++p)
      if ((t - predecessor[p]) >>> 0 === i) list.push(t);
  tasks.successors = { of: i, list };
  return list;
}
