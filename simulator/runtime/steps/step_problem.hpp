#pragma once

#include <cstdint>

#include "factosim/platform.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/runtime/engine/topology.hpp"
#include "simulator/tasks/graph/task_formulas.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// A factorization that is simulated by groups of tasks: tile (m, n) is written min(m, n) + 1 times, the last time
/// as a part of panel min(m, n), whose tiles all updates of that step read (LU, Cholesky).
struct StepProblem {
  TaskFormulas const& formulas;
  TileMap const& map;
  Machine const& machine;
  Topology const& topology;
  RuntimeOptions const& options;
  Bytes tile{};
  Wire wire = Wire::shared;
  bool links_are_shared = true;
  bool policy_knows_priorities = true;
  bool workers_have_queues = false;  // the policies of the dm family
  /// Groups are at most as wide as their distance from the panel, in m + n, divided by this number.
  std::uint32_t resolution = 4;
};

/// What the simulation by groups of tasks found.
struct StepOutcome {
  Seconds makespan;
  std::uint64_t tasks = 0, tiles_sent = 0;
  std::uint64_t groups = 0;  // simulated
};

}  // namespace factosim
