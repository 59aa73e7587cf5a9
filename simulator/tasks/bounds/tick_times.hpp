#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/base/core/time_grid.hpp"
#include "simulator/tasks/bounds/placed_flow.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// Part of a message's time, in ticks, by which it may end before that: the tolerance within which ends of transfers
/// are simultaneous, and the rounding of SimGrid's clock.
inline constexpr double early_ticks = TimeGrid::tie_ticks + 6;

/// Least times of messages on idle routes, in ticks. Remembers some by sender, receiver and size.
class MessageTimes {
 public:
  MessageTimes(Topology const& topology, TimeGrid const& grid) : topology_(topology), grid_(grid) {}

  double operator()(NodeId from, NodeId to, Bytes size) {
    Known& known = known_[(std::size_t{from.value()} * 64 + to.value()) % known_.size()];
    if (known.from != from || known.to != to || known.size.value != size.value)
      known = {from, to, size,
               std::max(0.0, grid_.ticks(topology_.least_time(from, to, size)) - early_ticks)};
    return known.ticks;
  }

 private:
  Topology const& topology_;
  TimeGrid const& grid_;
  struct Known {
    NodeId from{}, to{};
    Bytes size{};
    double ticks = 0;
  };
  std::vector<Known> known_ = std::vector<Known>(4096);
};

/// Durations of the longest chains of tasks until the start or the end of a task, in ticks.
struct ChainHead {
  double fastest = 0;        // each task on the fastest worker of all nodes
  double own = 0;            // each on the fastest worker of its node
  double with_messages = 0;  // and each tile between nodes at full bandwidth
};

/// The same of the chains that follow a task, from its end or from its start on.
struct ChainTail {
  double fastest = 0, with_messages = 0;

  bool operator==(ChainTail const&) const = default;
  void extend(ChainTail const& other) {
    fastest = std::max(fastest, other.fastest);
    with_messages = std::max(with_messages, other.with_messages);
  }
};

/// Shortest durations of tasks, where contention slows them down least, and least times of messages, in ticks, and chains
/// of them: for FlowChains and GraphChains.
class TickTimes {
 public:
  using Value = ChainHead;

  /// The machine, the topology and the grid must outlive it.
  TickTimes(Machine const& machine, std::size_t kernels, Topology const& topology, TimeGrid const& grid)
      : machine_(machine),
        grid_(grid),
        kernels_(kernels),
        message_time_(topology, grid),
        in_use_(machine.types.size(), false) {
    of_any_.assign(kernels, std::numeric_limits<double>::infinity());
    for (Machine::Type const& type : machine.types)
      for (std::size_t k = 0; k < kernels; ++k) of_type_.push_back(ticks(type.shortest_duration(k)));
    for (std::uint32_t const type : machine.type_of) in_use_[type] = true;
    for (std::size_t type = 0; type < in_use_.size(); ++type)
      for (std::size_t k = 0; k < kernels && in_use_[type]; ++k)
        of_any_[k] = std::min(of_any_[k], of_type_[type * kernels + k]);
  }

  /// On the fastest worker of all nodes, and on the fastest of its node.
  [[nodiscard]] double of_any(PlacedTask const& task) const {
    if (task.weight == nullptr) return of_any_[task.kernel];
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t type = 0; type < in_use_.size(); ++type)
      if (in_use_[type]) shortest = std::min(shortest, weighted(task, machine_.types[type]));
    return shortest;
  }
  [[nodiscard]] double on_node(PlacedTask const& task) const {
    if (task.weight != nullptr) return weighted(task, machine_.type(task.node));
    return of_type_[machine_.type_of[task.node.index()] * kernels_ + task.kernel];
  }
  [[nodiscard]] double message(NodeId from, NodeId to, Bytes size) { return message_time_(from, to, size); }

  static void extend(ChainHead& longest, ChainHead const& other) {
    longest.fastest = std::max(longest.fastest, other.fastest);
    longest.own = std::max(longest.own, other.own);
    longest.with_messages = std::max(longest.with_messages, other.with_messages);
  }
  [[nodiscard]] ChainHead end(ChainHead const& start, PlacedTask const& task) const {
    double const own = on_node(task);
    return {start.fastest + of_any(task), start.own + own, start.with_messages + own};
  }
  [[nodiscard]] ChainHead arrival(ChainHead const& end, NodeId from, NodeId to, Bytes size) {
    return {end.fastest, end.own, end.with_messages + message(from, to, size)};
  }

 private:
  [[nodiscard]] double ticks(double seconds) const {
    return std::isinf(seconds) ? seconds : grid_.ticks(Seconds{seconds});
  }
  [[nodiscard]] double weighted(PlacedTask const& task, Machine::Type const& type) const {
    return ticks(type.shortest_duration(task.kernel, *task.weight));
  }

  Machine const& machine_;
  TimeGrid const& grid_;
  std::size_t kernels_;
  MessageTimes message_time_;
  std::vector<bool> in_use_;     // [types] the machine has nodes of it
  std::vector<double> of_any_;   // [kernels]
  std::vector<double> of_type_;  // [types][kernels]
};

}  // namespace factosim
