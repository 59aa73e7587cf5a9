#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/flow/placed_flow.hpp"

namespace factosim {

/// Longest chains of tasks that follow each task of a flow, over the dependencies of `FlowChains` and with free
/// messages; the tasks are handed over from the last to the first.
class FlowTails {
 public:
  /// `durations`: [kernels].
  FlowTails(std::size_t handles, std::vector<double> durations)
      : durations_(std::move(durations)), handles_(handles) {}

  /// Returns the longest chain from the end of the task on. `waits_for_users`: as of FlowChains for this task.
  double task(PlacedTask const& task, bool waits_for_users) {
    double tail = 0;
    for (DataAccess const access : task.accesses) {
      Handle const& handle = handles_[access.handle().index()];
      if (writes(access.mode())) tail = std::max(tail, handle.readers);
      if (handle.writer == task.node) tail = std::max(tail, handle.from_writer);
      if (handle.overwriters.valid())
        for (auto const& [node, from_start] : overwriters_[handle.overwriters.index()])
          if (node == task.node) tail = std::max(tail, from_start);
    }
    double const from_start = tail + durations_[task.kernel];
    for (DataAccess const access : task.accesses) {
      Handle& handle = handles_[access.handle().index()];
      if (!writes(access.mode())) {
        handle.readers = std::max(handle.readers, from_start);
        continue;
      }
      handle.readers = reads(access.mode()) ? from_start : 0;
      handle.writer = task.node;
      handle.from_writer = from_start;
      if (handle.overwriters.valid())
        std::erase_if(overwriters_[handle.overwriters.index()],
                      [&](Overwriter const& o) { return o.first == task.node; });
      if (waits_for_users && !reads(access.mode()))
        overwriters_of(handle).emplace_back(task.node, from_start);
    }
    return tail;
  }

 private:
  /// The node of a task that waits for all users of a handle there, and the longest chain from its start on.
  using Overwriter = std::pair<NodeId, double>;
  using OverwritersPlace = Id<struct OverwritersTag>;  // in overwriters_

  struct Handle {
    double readers = 0;      // longest chain from the start of a reader of the version
    double from_writer = 0;  // from the start of the task that writes the next version
    NodeId writer{};         // the node of that task; none: nothing writes the handle any more
    OverwritersPlace overwriters{};
  };

  std::vector<Overwriter>& overwriters_of(Handle& handle) {
    if (!handle.overwriters.valid()) {
      handle.overwriters = OverwritersPlace{overwriters_.size()};
      overwriters_.emplace_back();
    }
    return overwriters_[handle.overwriters.index()];
  }

  std::vector<double> durations_;
  std::vector<Handle> handles_;
  std::vector<std::vector<Overwriter>> overwriters_;  // lists of some handles
};

}  // namespace factosim
