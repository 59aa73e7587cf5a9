#pragma once

#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/network_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/result.hpp"
#include "factosim/run_control.hpp"
#include "factosim/scheduler.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// A task graph of your own on a cluster. The options of the runtime system are the defaults of scenarios.
struct GraphSimulation {
  std::string name = {};       // of the result
  TaskGraph graph;             // from SequentialTaskFlow::finish
  std::vector<NodeId> owners;  // [handles] the node where a handle is at the start and at the end
  Platform platform;
  std::vector<KernelModel> kernels;  // [platform.types] durations of the graph's kernels on workers of a type
  Precision precision = Precision::double_;  // selects timings, with `nb`
  int nb = 0;                                // tile size
  std::string application = {};  // timings measured inside the application of that name take precedence
  SchedulerOptions scheduler = {};
  NetworkModel network = default_network_model();
  std::vector<NodeId> nodes =
      {};  // [tasks] where each runs; empty: on the owner of the first handle that it writes, or else reads
};

/// Returns the owner of each handle: the one that the handle names, or else the owner of its tile.
[[nodiscard]] std::vector<NodeId> owners_by_map(TaskGraph const& graph, TileMap const& map);

/// Simulates a task graph: each task runs on its node of `nodes`, or else on the one that owns the first handle it
/// writes, or else reads. A task that reads several data of one task on another node gets them as one message, which a
/// finding says. The RAM of a node is not a limit; the result states by how much it is exceeded. Throws InputError if an array has a wrong
/// size, a name is unknown, or a node has no timing for a kernel of its tasks; InfeasibleError if a node has
/// no core for tasks; RunStopped.
[[nodiscard]] Result simulate(GraphSimulation simulation, RunControl const& control = {});

/// A cluster with the durations of its kernels.
struct Cluster {
  Platform platform;
  std::vector<KernelModel> kernels;  // [platform.types]; without timings for types without a file of kernels
};

/// Reads a `factosim-platform` file, or the shipped platform of that name, with the kernel files that it names. Throws
/// InputError.
[[nodiscard]] Cluster read_cluster(std::string const& path_or_name);

}  // namespace factosim
