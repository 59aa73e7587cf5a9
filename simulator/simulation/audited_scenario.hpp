#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "factosim/task_graph.hpp"
#include "simulator/audit/audit_report.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// A finished run with all that it is held against: read from its folder, changed by tests.
struct RecordedRun {
  Scenario scenario;
  nlohmann::json result;
  std::optional<Trace> trace;
};

/// Reads `folder`/result.json, the scenario that it names, and `folder`/run.trace where there is one. Throws
/// InputError where one of them cannot be read, or is of something that is no graph of tasks.
[[nodiscard]] RecordedRun read_recorded_run(std::filesystem::path const& folder);

/// Holds the run against its scenario: the application's tasks and accesses, the distribution's owners, the
/// platform's workers and links, the timings.
[[nodiscard]] audit::AuditReport audit_run(RecordedRun const& run);

}  // namespace factosim
