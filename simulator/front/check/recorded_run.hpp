#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

#include "simulator/audit/rules/audited_run.hpp"
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

/// The files of a run as its scenario gives them again. Null and nothing: the run keeps no such file.
struct Repetition {
  nlohmann::json result, series;
  std::optional<Trace> trace;
};

/// Simulates the run again, with as many replicas and perturbed runs. Of `simulation`, which differs from run to run, the
/// rate and the names of files are those that follow from the rest.
[[nodiscard]] Repetition repeat(RecordedRun const& run);

/// Compares the files of the run with those of its repetition, without tolerance. The folders of timings and machines may
/// differ: they are where factosim is installed.
void check_repetition(RecordedRun const& run, Repetition const& again, audit::AuditReport& report);

/// Repeats the run and compares it, unless another version has simulated it.
void check_by_repetition(RecordedRun const& run, audit::AuditReport& report);

}  // namespace factosim
