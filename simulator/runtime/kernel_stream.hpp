#pragma once

#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// The kernels launched on one worker, which run one after the other. The driver notices the end of a kernel
/// in one of its rounds, possibly when the next one runs already.
class KernelStream {
 public:
  struct Ended {
    TaskId task;
    Seconds start, end;
  };

  /// Whether the driver has noticed the end of all kernels.
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// The first task whose end was not noticed.
  [[nodiscard]] TaskId front() const { return tasks_.front(); }
  /// The first task whose kernel has not ended; an invalid id without one.
  [[nodiscard]] TaskId current() const {
    return ends_.size() < tasks_.size() ? tasks_[ends_.size()] : TaskId{};
  }
  [[nodiscard]] bool has_ended() const { return !ends_.empty(); }
  /// When the last kernel ended; 0 before.
  [[nodiscard]] Seconds last_end() const { return last_end_; }

  void launch(TaskId task) { tasks_.push_back(task); }
  /// The kernel of `current()` starts at that date, or ends.
  void start(Seconds date) { start_ = date; }
  void end(Seconds date) {
    ends_.push_back({start_, date});
    last_end_ = date;
  }
  /// Removes the first kernel that has ended.
  Ended take_ended() {
    Ended const ended{tasks_.front(), ends_.front().start, ends_.front().end};
    tasks_.erase(tasks_.begin());
    ends_.erase(ends_.begin());
    return ended;
  }

 private:
  struct Span {
    Seconds start, end;
  };
  std::vector<TaskId> tasks_;  // in the order of launching
  std::vector<Span> ends_;     // of the first tasks: kernels that have ended
  Seconds start_;              // of the kernel that runs
  Seconds last_end_{0};
};

}  // namespace factosim
