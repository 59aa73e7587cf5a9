#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// What a recorded run prescribes for its replay; an empty array prescribes nothing.
struct Recording {
  std::vector<std::uint32_t> worker;    // [tasks] within its node, as the machine numbers them
  std::vector<std::uint32_t> position;  // [tasks] in the order in which they ran, over all workers
  bool pool_cores = false;              // what ran on a core may run on any core of its node
  bool strict = false;  // a worker waits for its next task even where a later one is ready; not with a pool
  std::vector<double> submit_s;  // [tasks] not submitted before that date, in seconds
  /// [tasks] how long after it could the kernel starts, on any worker of the kind that ran it: after the task
  /// was ready and that worker had ended the one before. Its data may be there later still.
  std::vector<double> pause_s;
  std::vector<double> duration_s;  // [tasks] of the kernel, on any worker of the kind that ran it
  std::vector<bool> on_gpu;        // [tasks] that kind

  /// How long after the end of its task a message comes, or later where its data is in RAM later.
  struct MessageTime {
    TaskId task;  // that wrote what it carries
    NodeId to;
    double seconds;
  };
  std::vector<MessageTime> messages;  // sorted by task, then node

  /// O(log messages).
  [[nodiscard]] std::optional<Seconds> message_time(TaskId task, NodeId to) const {
    auto const found = std::partition_point(messages.begin(), messages.end(), [&](MessageTime const& m) {
      return std::pair(m.task, m.to) < std::pair(task, to);
    });
    if (found == messages.end() || found->task != task || found->to != to) return std::nullopt;
    return Seconds{found->seconds};
  }
};

}  // namespace factosim
