#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "simulator/audit/rules/audit_report.hpp"
#include "simulator/front/check/recorded_run.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

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
