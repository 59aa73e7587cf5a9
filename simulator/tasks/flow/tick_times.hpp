#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simulator/tasks/bounds/message_times.hpp"
#include "simulator/tasks/bounds/task_chains.hpp"
#include "simulator/tasks/flow/placed_flow.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Shortest durations of kernels and least times of messages, in ticks, and chains of them: for FlowChains.
class TickTimes {
 public:
  using Value = ChainTail;

  /// The machine, the topology and the grid must outlive it.
  TickTimes(Machine const& machine, std::size_t kernels, Topology const& topology, TimeGrid const& grid)
      : machine_(machine), kernels_(kernels), message_time_(topology, grid) {
    of_any_.assign(kernels, std::numeric_limits<double>::infinity());
    for (Machine::Type const& type : machine.types)
      for (std::size_t k = 0; k < kernels; ++k) {
        double const seconds = type.shortest_duration(k);
        of_type_.push_back(std::isinf(seconds) ? seconds : grid.ticks(Seconds{seconds}));
      }
    for (std::uint32_t const type : machine.type_of)
      for (std::size_t k = 0; k < kernels; ++k)
        of_any_[k] = std::min(of_any_[k], of_type_[type * kernels + k]);
  }

  /// On the fastest worker of all nodes, and on the fastest of its node.
  [[nodiscard]] double of_any(PlacedTask const& task) const { return of_any_[task.kernel]; }
  [[nodiscard]] double on_node(PlacedTask const& task) const {
    return of_type_[machine_.type_of[task.node.index()] * kernels_ + task.kernel];
  }
  [[nodiscard]] double message(NodeId from, NodeId to, Bytes size) { return message_time_(from, to, size); }

  static void extend(ChainTail& longest, ChainTail const& other) {
    longest.fastest = std::max(longest.fastest, other.fastest);
    longest.own = std::max(longest.own, other.own);
    longest.with_messages = std::max(longest.with_messages, other.with_messages);
  }
  [[nodiscard]] ChainTail end(ChainTail const& start, PlacedTask const& task) const {
    double const own = on_node(task);
    return {start.fastest + of_any(task), start.own + own, start.with_messages + own};
  }
  [[nodiscard]] ChainTail arrival(ChainTail const& end, NodeId from, NodeId to, Bytes size) {
    return {end.fastest, end.own, end.with_messages + message(from, to, size)};
  }

 private:
  Machine const& machine_;
  std::size_t kernels_;
  MessageTimes message_time_;
  std::vector<double> of_any_;   // [kernels]
  std::vector<double> of_type_;  // [types][kernels]
};

}  // namespace factosim
