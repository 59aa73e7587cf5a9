#pragma once

#include <vector>

#include "simulator/runtime/node/node_parts.hpp"

namespace factosim {

/// The kernels launched on one worker, which run one after the other: on the stream of a GPU, or in the
/// driver itself. The driver notices the end of a kernel in one of its rounds, possibly when the next one
/// runs already.
class KernelStream {
 public:
  struct Ended {
    TaskId task;
    Seconds start, end;
    Seconds work;  // for how long it drew the power of the worker: its duration, or less of a shared GPU
  };

  KernelStream(LocalWorker worker, NodeParts const& node) : node_(node), worker_(worker) {}

  /// Returns whether the driver can do nothing else while the kernel runs.
  [[nodiscard]] bool blocks_driver(TaskId task) const;
  /// Returns whether the worker takes no further task.
  [[nodiscard]] bool full() const;
  /// Returns whether the driver has noticed the end of all kernels.
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  /// Returns the first task whose end the driver has not noticed.
  [[nodiscard]] TaskId front() const { return tasks_.front(); }
  /// Returns whether a kernel has ended and the driver has not noticed it.
  [[nodiscard]] bool has_ended() const { return !ended_.empty(); }

  /// Launches a kernel, which starts now, or when the one before it ends. Its end is an event of that kind.
  void launch(TaskId task, EventKind end);
  /// Returns whether the kernel that was to end now ends later, by an event of that kind.
  [[nodiscard]] bool is_late(EventKind end);
  /// The kernel that runs has ended; the next one starts.
  void end();
  /// Removes the first kernel that has ended.
  Ended take_ended();

 private:
  void start(TaskId task, EventKind end);
  /// Returns what schedules the end of a kernel on a shared GPU.
  [[nodiscard]] auto end_on_shared_gpu() const {
    return [this](LocalWorker worker, Seconds date) {
      node_.engine.at(date, node_.event(EventKind::kernel_ends, worker));
    };
  }

  NodeParts const& node_;
  LocalWorker worker_;
  std::vector<TaskId> tasks_;  // in the order of launching
  std::vector<Ended> ended_;   // of the first tasks
  Seconds start_;              // of the kernel that runs
  Seconds last_end_{0};
};

}  // namespace factosim
