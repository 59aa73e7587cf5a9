#pragma once

#include <cstddef>
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
  /// Of each task, where every node unrolls all of them; 0: not known.
  Seconds submission_cost{};
};

/// What the bus of a node would have to do for the GPUs that the run leaves without work.
struct BusDemand {
  std::size_t node = 0;
  double gpu_work = 0;       // of its GPUs in the run, seconds
  double possible_work = 0;  // of its GPUs in the optimum of the node's area bound, seconds
  double copy_seconds = 0;   // of the fullest link, if each datum of the GPUs' tasks is copied to them once
};

/// Policies that know how long copies take leave tasks to cores if the bus is slow: then the bus is not full, but GPUs
/// have less work than the area bound gives them. Returns the node with the longest copies among those whose
/// GPUs work for less than 90 % of that. The data of their tasks are the node's data times the share of the tasks that
/// the area bound gives GPUs, evenly divided among them, and each crosses the bus once. O(accesses), and a
/// linear program for each node with GPUs.
[[nodiscard]] std::optional<BusDemand> bus_demand_of_idle_gpus(DiagnosedRun const& run);

}  // namespace factosim
