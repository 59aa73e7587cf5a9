#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"
#include "simulator/runtime/policies/recorded.hpp"

namespace factosim {

/// Returns the dates, times and workers that a recording prescribes for a run, if there is a recording. Keeps
/// the dates of the run from which relative times of the recording count.
class ReplayOracle {
 public:
  /// `recording` may be null and must outlive this.
  ReplayOracle(Recording const* recording, std::size_t tasks) : recording_(recording) {
    if (recording == nullptr) return;
    if (!recording->pause_s.empty()) ready_.emplace(tasks);
    if (!recording->messages.empty()) ended_.emplace(tasks);
  }

  /// Returns the recording if it prescribes the worker and the position of each task; else null.
  [[nodiscard]] Recording const* order() const {
    return recording_ == nullptr || recording_->worker.empty() ? nullptr : recording_;
  }
  /// Returns the date before which the task is not submitted.
  [[nodiscard]] std::optional<Seconds> submission(TaskId task) const {
    if (recording_ == nullptr || recording_->submit_s.empty()) return std::nullopt;
    return Seconds{recording_->submit_s[task.index()]};
  }
  /// Returns the duration of the task's kernel on a worker of that kind.
  [[nodiscard]] std::optional<Seconds> duration(TaskId task, bool on_gpu) const {
    if (recording_ == nullptr || recording_->duration_s.empty() || !ran_on(task, on_gpu)) return std::nullopt;
    return Seconds{recording_->duration_s[task.index()]};
  }
  /// Returns for how long a kernel that could start at `now` is delayed on a worker of that kind whose
  /// previous kernel ended at `last_end`.
  [[nodiscard]] Seconds pause(TaskId task, bool on_gpu, Seconds last_end, Seconds now) const {
    if (!ready_ || !ran_on(task, on_gpu)) return Seconds{0};
    Seconds const possible = std::max((*ready_)[task.index()], last_end);
    return std::max(Seconds{0}, possible + Seconds{recording_->pause_s[task.index()]} - now);
  }
  /// Returns the date before which a message with the output of the task does not arrive at `to`.
  [[nodiscard]] std::optional<Seconds> message_arrival(TaskId task, NodeId to) const {
    if (!ended_) return std::nullopt;
    auto const time = recording_->message_time(task, to);
    if (!time) return std::nullopt;
    return (*ended_)[task.index()] + *time;
  }

  void task_ready(TaskId task, Seconds date) {
    if (ready_) (*ready_)[task.index()] = date;
  }
  void task_ran(TaskId task, Seconds end) {
    if (ended_) (*ended_)[task.index()] = end;
  }

 private:
  /// Durations and pauses are prescribed on the kind of worker that ran the task only.
  [[nodiscard]] bool ran_on(TaskId task, bool gpu) const { return recording_->on_gpu[task.index()] == gpu; }

  Recording const* recording_;
  std::optional<std::vector<Seconds>> ready_;  // [tasks] dates, where pauses are prescribed
  std::optional<std::vector<Seconds>> ended_;  // [tasks] dates, where times of messages are prescribed
};

}  // namespace factosim
