#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/base/core/work_estimate.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// The result of an experiment, without the keys that all results have.
struct ExperimentResult {
  Seconds makespan;
  bool estimate = false;            // some speeds or networks are not measurements
  std::uint64_t tasks = 0;          // number of simulated units of work: slices or blocks
  nlohmann::ordered_json metrics;   // numbers by name: columns of a sweep's table
  nlohmann::ordered_json sections;  // of result.json, between "metrics" and "simulation": "nodes" and its own
  nlohmann::ordered_json timings;   // sources of the speeds: one object per machine, with "estimate"
  std::string summary;              // text below the name; lines end with \n
  std::optional<Trace> trace;       // of its workers, if an output needs it
};

/// What an experiment takes, and what to change if that is too much.
struct ExperimentWork {
  WorkEstimate estimate;
  double max_s;         // more is begun on demand only
  char const* pointer;  // to the key that decides it
  char const* remedy;   // "Use fewer iterations"
};

/// A scenario of an application without a task graph, checked and ready to be simulated. The scenario's "application" names
/// its kind (experiment_kinds.hpp).
struct Experiment {
  ExperimentWork work;
  /// Returns every option with its value, including defaults.
  std::function<nlohmann::ordered_json()> effective;
  /// Simulates it, with a trace or without. At most one simulation over SimGrid in a process. Throws InfeasibleError if it
  /// cannot end.
  std::function<ExperimentResult(bool with_trace)> run;
  std::vector<std::string> findings{};  // what is to be known of its data
};

}  // namespace factosim
