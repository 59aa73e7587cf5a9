#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Returns the order of magnitude of the makespan, from which the clock takes its tick: the largest of the work
/// per worker of a node, the longest chain of tasks and messages, the submission of all tasks, and the time to
/// send all data once over the slowest links of all nodes; but at most 16 times what the work, the submissions and the
/// longest chain with its messages on their own routes take. In proportion to the times of the scenario.
/// O(tasks + edges).
[[nodiscard]] Seconds expected_makespan(TaskGraph const& graph, ExecutionPlan const& plan,
                                        Machine const& machine, Topology const& topology,
                                        RuntimeOptions const& options);

/// What the expected makespan follows from.
struct MakespanParts {
  Seconds work;                         // per worker of a node, of the node with the most
  std::uint64_t tasks = 0;              // of all nodes
  std::uint64_t most_tasks = 0;         // of one node
  Bytes data;                           // of all handles
  std::function<Seconds()> slow_chain;  // the longest one with messages at `slowest_rate`
  std::function<Seconds()> chain;  // the longest one with messages on their own routes; not always needed
};

/// Returns the slowest link and the longest latency of a route over several links.
[[nodiscard]] LinkRate slowest_rate(Topology const& topology);

/// Returns the shortest durations of a machine's kernels, where contention slows them down least: [types][kernels]. 0 of
/// kernels that the type cannot run.
[[nodiscard]] std::vector<Seconds> shortest_durations(Machine const& machine, std::size_t kernels);

/// Returns the largest work per worker of a node, of [nodes] work.
[[nodiscard]] Seconds most_work_per_worker(std::span<Seconds const> work, Machine const& machine);

[[nodiscard]] Seconds expected_makespan(MakespanParts const& parts, Machine const& machine,
                                        Topology const& topology, RuntimeOptions const& options);

}  // namespace factosim
