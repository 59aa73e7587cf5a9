// Entry point: builds the page of runs or of a sweep, and marks when it is drawn and complete.

import { readReport } from "./data.js";
import { RunsPage } from "./runs.js";
import { SweepPage } from "./sweep.js";
import { element } from "./format.js";

async function start() {
  const report = await readReport();
  const page = report.sweep ? new SweepPage(report) : new RunsPage(report);
  page.build();
  page.redraw("all");
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  performance.mark("factosim-drawn");
  document.documentElement.dataset.state = "drawn";
  await page.readTasks?.();
  await new Promise(requestAnimationFrame);
  performance.mark("factosim-ready");
  document.documentElement.dataset.state = "ready";
  window.factosim = page; // for the console and for tests
}

start().catch((error) => {
  console.error(error);
  const text = `This browser cannot show the report (${error.message}). `
    + "A current Firefox, Chromium or Safari can.";
  document.body.append(element("p", { class: "warning", text }));
});
