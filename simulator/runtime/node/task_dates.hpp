#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// Dates of one task of a run, and what it waited for last. 32 bytes: every run records them.
struct TaskDates {
  static constexpr std::uint32_t none = 0x7fffffff;

  double start_s = 0, end_s = 0;
  float waited_s = 0;        // from ready to start
  float output_delay_s = 0;  // from the end until its output for other nodes is in RAM
  /// The task whose end or message made it ready; for a task that became ready when it was submitted, the last
  /// task before the barrier.
  std::uint32_t released_by : 31 = none;
  std::uint32_t by_submission : 1 = 0;
  std::uint32_t previous = none;  // the task that ran before it on its worker

  [[nodiscard]] double ready_s() const { return start_s - static_cast<double>(waited_s); }
};

/// Records the dates of all tasks. O(1) per event; allocates only at the start.
class TaskDatesRecorder {
 public:
  /// `tasks`: 0 to record nothing.
  TaskDatesRecorder(std::size_t tasks, std::size_t workers)
      : dates_(tasks), last_(workers, TaskDates::none) {}

  /// All tasks before a barrier have run.
  void part_begins() { last_of_part_ = last_of_run_; }
  /// `pusher`: the worker whose task was the last predecessor. `producer`: the task whose message was the last one
  /// to arrive. Neither: the task was ready when it was submitted.
  void ready(TaskId task, WorkerId pusher, TaskId producer, Seconds now) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.start_s = now.value;  // until it starts
    d.by_submission = !pusher.valid() && !producer.valid() ? 1 : 0;
    d.released_by = (pusher.valid()     ? last_[pusher.index()]
                     : producer.valid() ? producer.value()
                                        : last_of_part_) &
                    TaskDates::none;
  }
  /// Calls come in the order of `end`.
  void ran(TaskId task, WorkerId worker, Seconds start, Seconds end) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.waited_s = static_cast<float>(start.value - d.start_s);
    d.start_s = start.value;
    d.end_s = end.value;
    d.previous = last_[worker.index()];
    last_[worker.index()] = last_of_run_ = task.value();
  }
  void output_in_ram(TaskId task, Seconds now) {
    if (dates_.empty()) return;
    TaskDates& d = dates_[task.index()];
    d.output_delay_s = static_cast<float>(now.value - d.end_s);
  }
  [[nodiscard]] std::vector<TaskDates> take() { return std::move(dates_); }

 private:
  std::vector<TaskDates> dates_;     // [tasks]
  std::vector<std::uint32_t> last_;  // [workers] the last task that ran there
  std::uint32_t last_of_run_ = TaskDates::none, last_of_part_ = TaskDates::none;
};

}  // namespace factosim
