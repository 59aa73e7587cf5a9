#pragma once

#include <memory>

#include "factosim/task_graph.hpp"
#include "simulator/engine/topology.hpp"
#include "simulator/plan/execution_plan.hpp"
#include "simulator/plan/machine.hpp"
#include "simulator/runtime/recording.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/simulation/size_limit.hpp"

namespace factosim {

/// A scenario worked out: its tasks, where they run, and on what.
struct PreparedScenario {
  TaskGraph graph;
  ExecutionPlan plan;
  Machine machine;
  Topology topology;
  Recording recording{};  // of a replayed trace; else empty
};

/// Throws InputError where it would take more than the limit, where a node gets tasks that none of its
/// workers can run, for want of a timing of that tile size or precision, or where durations are to be drawn
/// from samples that a timing lacks; InfeasibleError where a GPU cannot hold the tiles of the tasks in its
/// pipeline, or a RAM the tiles that its node owns.
PreparedScenario prepare(Scenario const& scenario, SizeLimit const& limit);
/// The same within what the machine has.
PreparedScenario prepare(Scenario const& scenario);

/// Places the tasks of what was prepared from `scenario` by another map of the same size. Throws as
/// `prepare`.
void place(Scenario const& scenario, PreparedScenario& prepared, TileMap const& map);

}  // namespace factosim
