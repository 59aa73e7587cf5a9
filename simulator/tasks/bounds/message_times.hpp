#pragma once

#include <algorithm>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/base/core/time_grid.hpp"

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

}  // namespace factosim
