#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// The parts of a recorded run that its replay must follow; an empty array prescribes nothing.
struct Recording {
  std::vector<std::uint32_t> worker;    // [tasks] number within its node, as in Machine
  std::vector<std::uint32_t> position;  // [tasks] in the order in which all tasks ran
  bool pool_cores = false;              // a task that ran on a core may run on any core of its node
  bool strict = false;  // a worker waits for its next task even if a later one is ready; never with a pool
  std::vector<double> submit_s;  // [tasks] earliest date of submission, in seconds
  /// [tasks] delay of the kernel's start, on any worker of the kind that ran it, after the task was ready and
  /// the worker had ended its previous kernel. Missing data may delay it more.
  std::vector<double> pause_s;
  std::vector<double> duration_s;  // [tasks] duration of the kernel, on any worker of the kind that ran it
  std::vector<bool> on_gpu;        // [tasks] the kind of worker that ran it

  /// Time from the end of the producer to the arrival of the message; later if its data is in RAM later.
  struct MessageTime {
    TaskId task;  // the producer
    NodeId to;
    double seconds;
  };
  std::vector<MessageTime> messages;  // sorted by task, then node

  /// Returns the time of the message from `task` to `to`, if it is prescribed. O(log messages).
  [[nodiscard]] std::optional<Seconds> message_time(TaskId task, NodeId to) const {
    auto const found = std::partition_point(messages.begin(), messages.end(), [&](MessageTime const& m) {
      return std::pair(m.task, m.to) < std::pair(task, to);
    });
    if (found == messages.end() || found->task != task || found->to != to) return std::nullopt;
    return Seconds{found->seconds};
  }
};

}  // namespace factosim
