#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "factosim/result.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// The same tasks on the same nodes by another distribution.
struct OtherDistribution {
  std::string name;  // "1d1d-c"
  Seconds at_least;  // no run is shorter
};

/// A run to diagnose.
struct DiagnosedRun {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
  Topology const& topology;
  std::vector<std::string> const& node_types;  // [nodes] their names
  SimulationOutcome const& outcome;
  Bounds const& bounds;
  /// Returns a distribution with a lower bound, or nothing if none is known. Only called where load balance between
  /// nodes limits the run.
  std::function<std::optional<OtherDistribution>()> other_distribution{};
};

}  // namespace factosim
