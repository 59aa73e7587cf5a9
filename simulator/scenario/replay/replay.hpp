#pragma once

#include <span>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/runtime/node/recording.hpp"
#include "simulator/scenario/replay/trace_application.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The inputs of a replay; they must outlive it.
struct ReplayInputs {
  std::string const& file;  // the scenario's, for messages
  TraceApplication const& application;
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  RuntimeOptions const& runtime;
  TileMap const* map = nullptr;  // with Mapping::distribution
};

/// The tasks of a trace, planned on a cluster.
struct ReplayPlan {
  TaskGraph graph;
  ExecutionPlan plan;
  Machine machine;
  Recording recording;
  std::vector<Finding> findings;  // what the trace does not tell
};

/// Plans the replay of a trace. Throws InputError if a task can run on no worker of its node, if tasks should
/// stay on workers that the platform does not have, or if messages of unknown size are to be simulated; InfeasibleError if a GPU cannot hold the data of a
/// task.
[[nodiscard]] ReplayPlan plan_replay(ReplayInputs const& inputs);

}  // namespace factosim
