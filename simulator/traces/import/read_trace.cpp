#include "simulator/traces/import/read_trace.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"
#include "simulator/traces/import/trace_lints.hpp"
#include "simulator/traces/import/chrome_run.hpp"
#include "simulator/traces/import/csv_run.hpp"
#include "simulator/traces/import/dependency_cycles.hpp"
#include "simulator/traces/import/paje_run.hpp"
#include "simulator/traces/import/starpu_records.hpp"
#include "simulator/traces/import/starvz_directory.hpp"
#include "simulator/traces/import/task_fields.hpp"
#include "simulator/traces/trace/native_trace.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Reads a tasks.rec and the files beside it.
StarpuRun read_records(fs::path const& tasks) {
  fs::path const folder = tasks.parent_path();
  StarpuRun run;
  run.source = tasks.string();
  run.format = "starpu-rec";
  if (auto const data = plain_or_gzipped(folder, "data.rec"); !data.empty()) read_data_rec(data, run);
  read_tasks_rec(tasks, run);
  if (auto const comms = plain_or_gzipped(folder, "comms.rec"); !comms.empty()) read_comms_rec(comms, run);
  if (auto const paje = plain_or_gzipped(folder, "paje.trace"); !paje.empty() && !run.tasks.empty())
    read_paje(paje, run);
  return run;
}

StarpuRun read_paje_alone(fs::path const& file) {
  StarpuRun run;
  run.source = file.string();
  run.format = "paje";
  read_paje(file, run);
  run.find("a Paje trace tells no dependencies: replay it by its dates, or give tasks.rec as well");
  return run;
}

[[noreturn]] void fail_unknown(fs::path const& path, std::string_view what) {
  throw InputError(
      path.string() + "#",
      fmt::format("is no trace that is known ({}). Give a directory with tasks.rec, one with StarVZ's "
                  "rec.tasks.csv or paje.worker_state.csv, a Paje trace, Chrome trace events, or a CSV table "
                  "with the "
                  "columns task, worker, start, end",
                  what));
}

StarpuRun read_directory(fs::path const& folder) {
  if (auto const tasks = plain_or_gzipped(folder, "tasks.rec"); !tasks.empty()) return read_records(tasks);
  if (is_starvz_directory(folder)) return read_starvz_directory(folder);
  for (char const* name : {"paje.trace", "trace.paje"})
    if (auto const paje = plain_or_gzipped(folder, name); !paje.empty()) return read_paje_alone(paje);
  fail_unknown(folder, "the directory holds none of the files");
}

/// Refuses formats that are known, but not as traces.
void refuse_other_formats(fs::path const& file, std::string_view first) {
  if (first.starts_with("%rec: timing") || first.starts_with("%rec: worker_count"))
    throw InputError(file.string() + "#line 1",
                     "holds timings of kernels, no run. Use `factosim import starpu-timings` for it");
  if (first.starts_with("#Paraver")) fail_unknown(file, "it is a trace of Paraver");
}

/// Returns whether a line of that form may begin a tasks.rec.
bool begins_records(std::string_view first) {
  std::size_t const colon = first.find(':');
  return colon != std::string_view::npos && first.find(' ') > colon &&
         (first.starts_with("%rec") || TaskFields::field(first.substr(0, colon)) != nullptr);
}

/// Chooses the reader by the file's first line.
StarpuRun read_file(fs::path const& file) {
  if (is_json_file(file)) return read_chrome_run(file);  // may be one long line
  std::string first;
  {
    LineReader lines(file);
    std::string_view line;
    while (first.empty() && lines.next(line)) first = trimmed(line);
  }
  if (first.empty()) fail_unknown(file, "it is empty");
  refuse_other_formats(file, first);
  if (first.starts_with("%EventDef") || first.starts_with("% EventDef") ||
      first.starts_with("#This file was generated using SimGrid") || first.starts_with("#"))
    return read_paje_alone(file);
  std::size_t const colon = first.find(':'), comma = first.find(',');
  if (comma != std::string::npos && comma < colon) {
    bool const of_starvz =
        first.find("Nature") != std::string::npos ||
        (first.find("JobId") != std::string::npos && first.find("StartTime") != std::string::npos);
    if (!of_starvz) return read_csv_run(file);
    fs::path const folder = file.parent_path();
    if (is_starvz_directory(folder)) return read_starvz_directory(folder);
    fail_unknown(file, "a table of StarVZ whose directory has no rec.tasks.csv or paje.worker_state.csv");
  }
  if (begins_records(first)) return read_records(file);
  fail_unknown(file, "its first line is \"" + first.substr(0, 60) + "\"");
}

}  // namespace

Trace read_trace(fs::path const& path) {
  std::error_code error;
  bool const folder = fs::is_directory(path, error);
  fs::path const own = folder ? path / native_trace_name : path;
  Trace trace =
      is_native_trace(own) ? read_native(own) : assemble(folder ? read_directory(path) : read_file(path));
  refuse_cycles(trace.predecessor_begin, trace.predecessors,
                [&](TaskId task) { return fmt::format("{}#task {}", trace.source, task.value()); });
  if (trace.format == "factosim") return trace;  // simulated here: nothing was measured
  std::vector<Finding> const suspicious = check_trace(trace);
  trace.findings.insert(trace.findings.end(), suspicious.begin(), suspicious.end());
  return trace;
}

}  // namespace factosim
