#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "factosim/quantity.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// The result of an application without a task graph (a ring, a data-parallel loop), without the keys that
/// all results have.
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

}  // namespace factosim
