#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// The parts of a recorded run that its replay must follow; an empty array prescribes nothing.
struct Recording {
  std::vector<std::uint32_t> worker;    // [tasks of the cluster] number within its node, as in Machine
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

/// Assigns each task to the worker, or with `pool_cores` to the cores of the node, that ran it in a recorded
/// run. Tasks run in the recorded order: strictly, or the first one that is ready. Operands are prefetched
/// once a task is ready, as with the dm family.
class RecordedScheduler final : public Scheduler {
 public:
  /// `recorded`: who ran each task, and in which order; must outlive this.
  RecordedScheduler(Recording const& recorded, NodeView const& node);

  Assignment push(TaskId task, LocalWorker pusher) override;
  TaskId pop(LocalWorker worker) override;
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return recorded_.pool_cores; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // position, task
  /// A worker, or the workers that share their tasks.
  struct Group {
    std::vector<std::uint32_t> order;  // tasks in recorded order; only if strict
    std::size_t next = 0;              // into it
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  };

  [[nodiscard]] std::size_t group_of(std::size_t worker) const {
    return recorded_.pool_cores && !node_.workers()[worker].gpu ? first_core_ : worker;
  }

  Recording const& recorded_;
  NodeView const& node_;
  std::size_t first_core_ = 0;
  std::vector<Group> groups_;  // by their first worker
  std::vector<bool> idle_;     // [workers] found no task at its last pop
};

}  // namespace factosim
