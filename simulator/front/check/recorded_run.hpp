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
  nlohmann::json series{};                // series.json; null: none
};

/// Reads `folder`/result.json, the scenario that it names, and `folder`/run.trace and series.json if they exist. Throws
/// InputError if one of them cannot be read or is not of a task graph.
[[nodiscard]] RecordedRun read_recorded_run(std::filesystem::path const& folder);

/// Checks the run against its scenario: the application's tasks and accesses, the distribution's owners, the
/// platform's workers and links, and the timings.
[[nodiscard]] audit::AuditReport audit_run(RecordedRun const& run);

}  // namespace factosim
