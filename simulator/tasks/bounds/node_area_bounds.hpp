#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "simulator/tasks/graph/area_bound.hpp"
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

}  // namespace factosim
