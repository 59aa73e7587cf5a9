#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "simulator/audit/rules/audit_report.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A finished run and its scenario, which the audit compares. Tests change them.
struct RecordedRun {
  PlacedScenario scenario;
  nlohmann::json result;
  std::optional<Trace> trace;
  std::optional<FileComparison> files{};  // none: the run was not read from files
};

/// Reads `folder`/result.json, the scenario that it names, and `folder`/run.trace if it exists. Throws
/// InputError if one of them cannot be read or is not of a task graph.
[[nodiscard]] RecordedRun read_recorded_run(std::filesystem::path const& folder);

/// Checks the run against its scenario: the application's tasks and accesses, the distribution's owners, the
/// platform's workers and links, and the timings.
[[nodiscard]] audit::AuditReport audit_run(RecordedRun const& run);

/// Returns the scenario that a result names in its provenance, with the recorded settings and seed. `result`
/// is the file, `document` its content. Throws InputError if it is not a result of `run`, or if the scenario
/// has changed since.
[[nodiscard]] PlacedScenario scenario_of_result(std::filesystem::path const& result,
                                                nlohmann::json const& document);

/// Returns the result.json of a simulated run whose folder, result.json or trace `path` is; else nothing.
[[nodiscard]] std::optional<std::filesystem::path> result_of(std::filesystem::path const& path);

/// Reads the trace of a run, simulated or real. Returns nothing if a simulated run kept no trace. Throws
/// InputError if there is no run.
[[nodiscard]] std::optional<Trace> trace_of_run(std::filesystem::path const& path);

}  // namespace factosim
