// The panels of runs on the time axis.

import { LevelPanel, OccupationPanel } from "./levels.js";
import { iterationsTable, levelsTable, occupationTable, statesTable, tasksTable } from "./panel_csv.js";
import { iterationsPanel, statesPanel, workersPanel } from "./workers.js";

export const hasCells = (run) => run.worker_cells.rows > 0;

/** Returns the panels on the time axis: {id, title, note(run), has(run), keys(run), build(...), csv(...)}. */
export function timePanels(report) {
  const own = [ { id: "workers", title: "Workers", has: hasCells, build: workersPanel, csv: tasksTable,
      keys: (r) => [...r.kernels, ...(r.mixed ? [{ name: "row of a GPU", mark: "tall" }] : []),
        ...(r.abe_s ? [{ name: "area bound", mark: "dashed" }] : []),
        ...(r.nodes.length > 1 ? [{ name: "area bound of the node", mark: "solid" }] : [])],
      note: () => "at the right: idle shares; click a task for what it depends on and waited for" },
    { id: "iterations", title: "Iterations", has: (r) => r.iterations.length > 1, build: iterationsPanel,
      csv: iterationsTable,
      keys: (r) => [...r.kernels, { name: "first and last end of the iteration", mark: "line" },
        { name: "median end", mark: "dashes" }],
      note: () => "darker: more tasks at a time; click an iteration to select it" },
    { id: "states", title: "Worker states", has: hasCells, build: statesPanel, csv: statesTable,
      keys: (r) => r.states.filter((_, s) => r.state_cells.color.includes(s)),
      note: (r) => (r.own_states ? "as the trace names them" : "blank while a task runs") },
    { id: "nodes", title: "Node occupation", has: (r) => r.occupation.length > 0, keys: (r) => r.kernels,
      build: (_, run, view, parent, hover) => new OccupationPanel(run, view, parent, hover),
      csv: occupationTable,
      note: () => "share of the cores and of the GPUs of each node that run a kernel; "
        + "click a row to select its node" },
  ];
  const levels = report.panels.map((panel) => ({
    id: panel.id, title: panel.title, level: panel, note: () => "", csv: levelsTable,
    has: (r) => r.level_curves[panel.id].sums.some((c) => !c.zero),
    build: (_, run, view, parent, hover, legend) => new LevelPanel(report, panel, run, view, parent, hover,
      legend),
  }));
  return [...own, ...levels];
}
