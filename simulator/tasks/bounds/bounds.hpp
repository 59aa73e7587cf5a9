#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "factosim/result.hpp"
#include "factosim/task_graph.hpp"
#include "platforms/topology.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/bounds/link_loads.hpp"
#include "simulator/tasks/graph/area_bound.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Groups the workers of `nodes` nodes of a type into classes of workers with the same durations: those
/// without contention, or with the least.
std::vector<WorkerClass> worker_classes(Machine::Type const& type, std::size_t kernels, std::uint32_t nodes);
/// Groups the workers of several types, type by type; `nodes`: [types of the machine].
std::vector<WorkerClass> worker_classes(Machine const& machine, std::size_t kernels,
                                        std::span<std::uint32_t const> nodes);
/// Nodes of each type, [types of the machine].
std::vector<std::uint32_t> nodes_by_type(Machine const& machine);

/// Area bounds of amounts of work, [nodes][kinds], with the prices of their kinds: of each node, and of all workers
/// together. Nodes of one type with the same work have the same bound. In the unit of the machine's durations.
class NodeAreaBounds {
 public:
  NodeAreaBounds(std::vector<std::vector<double>> const& work, Machine const& machine);
  NodeAreaBounds(NodeAreaBounds const&) = delete;
  NodeAreaBounds& operator=(NodeAreaBounds const&) = delete;

  [[nodiscard]] AreaBound const& of_node(std::size_t node) const { return *of_node_[node]; }
  [[nodiscard]] AreaBound const& of_all() const { return of_all_; }

 private:
  std::map<std::pair<std::uint32_t, std::vector<double>>, AreaBound> known_;  // by type and work
  std::vector<AreaBound const*> of_node_;                                     // [nodes]
  AreaBound of_all_;
};

/// Ends of flows are exact up to this share of their duration: the precision of SimGrid.
inline constexpr double flow_precision = 1e-6;

/// Tasks of each kernel on each node of the plan, [nodes][kernels].
std::vector<std::vector<std::uint64_t>> tasks_by_node(TaskGraph const& graph, ExecutionPlan const& plan,
                                                      Machine const& machine);

/// Computes all bounds of a placed graph. Each node must have a worker for each kernel of its tasks. If the tasks
/// of an application depend on the map, the bounds of the problem are those of the tasks of this map. No run on
/// that grid is shorter than a bound, not even by the last bit: sums are of whole ticks.
Bounds compute_bounds(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                      Topology const& topology, TimeGrid const& grid, MessageRules const& rules = {});

}  // namespace factosim
