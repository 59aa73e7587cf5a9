#include "simulator/scenario/simulation/run_folder.hpp"

#include <optional>
#include <utility>

#include "simulator/base/os/atomic_file.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"
#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/trace/series.hpp"

namespace factosim {

namespace {

void write_traces(std::filesystem::path const& folder, OutputOptions const& outputs, Trace const& trace) {
  for (std::string const& name : outputs.traces) {
    TraceFormat const& format = trace_format(name);
    if (format.folder) {
      make_folder(folder / format.run_name);
      remove_abandoned_files(folder / format.run_name);
    }
    format.write(folder / format.run_name, trace);
  }
}

void write_outputs(std::filesystem::path const& folder, OutputOptions const& outputs, RunRecord const& run) {
  if (run.trace) write_traces(folder, outputs, *run.trace);
  if (run.series) write_file_atomically(folder / "series.json", series_json(*run.series, run.series_nodes));
}

FolderLock locked(std::filesystem::path const& folder) {
  make_folder(folder);
  return FolderLock(folder);
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path folder, OutputOptions outputs, bool force)
    : folder_(std::move(folder)), outputs_(std::move(outputs)), lock_(locked(folder_)) {
  refuse_to_overwrite(folder_ / "result.json", force);
  for (std::string const& name : outputs_.traces)
    refuse_to_overwrite_trace(trace_format(name), folder_ / trace_format(name).run_name, force);
  if (outputs_.series_points > 0) refuse_to_overwrite(folder_ / "series.json", force);
  remove_abandoned_files(folder_);
}

std::string RunFolder::write(RunRecord const& run) const {
  write_outputs(folder_, outputs_, run);
  std::string const json = result_text(run.json, folder_, files_of(run, outputs_));
  write_file_atomically(folder_ / "result.json", json);
  return json;
}

std::vector<std::string> files_of(RunRecord const& run, OutputOptions const& outputs) {
  std::vector<std::string> files;
  for (std::string const& name : outputs.traces)
    if (TraceFormat const& format = trace_format(name); run.trace && !format.folder)
      files.emplace_back(format.run_name);
  if (run.series) files.emplace_back("series.json");
  return files;
}

RunRecord run_controlled(SimulationPlan const& plan, RunControl const& control) {
  std::uint64_t const tasks = task_count(plan);
  int const runs = control.replicas + control.perturbed;
  RunOptions options{control.replicas, control.interval, control.perturbed, control.jobs};
  if (runs > 1) (void)replicas_may_differ(plan);  // throws for studies
  std::optional<RunFolder> folder;
  if (!control.out.empty()) {
    OutputOptions& outputs = options.outputs.emplace(head_of(plan).outputs);
    if (control.trace || leaves_out_trace(outputs, tasks)) std::erase(outputs.traces, default_trace);
    if (control.trace.value_or(false)) outputs.traces.insert(outputs.traces.begin(), default_trace);
    if (control.series_points) outputs.series_points = *control.series_points;
    folder.emplace(control.out, outputs, control.force);
  }
  ProgressCallback progress;
  if (control.on_progress)
    progress = [&](std::uint64_t done) {
      if (!control.on_progress(done, tasks * static_cast<std::uint64_t>(runs))) throw RunStopped();
    };
  RunRecord record = run_plan(plan, options, progress);
  if (folder) (void)folder->write(record);
  if (control.on_summary) control.on_summary(record.summary);
  return record;
}

bool leaves_out_trace(OutputOptions const& outputs, std::uint64_t tasks) {
  return outputs.trace_by_default && tasks > max_tasks_traced_by_default;
}

}  // namespace factosim
