#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/id.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

/// The tasks waiting for one worker, with StarPU's running estimate of when the worker will have run them.
/// Times in seconds. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`, `fifo_queues.c`.
class ExpectedQueue {
 public:
  struct Entry {
    TaskId task;
    std::int32_t priority;
    double transfer;  // the part of the predicted transfer that does not overlap queued work
    double kernel;
  };

  /// First in, first out; or by priority, first in, first out among equals.
  enum class Order : std::uint8_t { fifo, priority };

  /// The earliest start of a task that is pushed now.
  [[nodiscard]] double end(double now) const { return std::max(start_, now) + queued_; }

  /// The same for a task of that priority: counts the tasks in the pipeline, and the kernels of the waiting
  /// tasks that it would not overtake (starpu_st_fifo_taskq_get_exp_len_prev_task_list).
  [[nodiscard]] double end_before(double now, std::int32_t priority) const {
    double const start = std::max(start_, now);
    if (waiting_.empty() || priority > waiting_.back().priority) return start + pipeline_;
    if (priority <= waiting_.front().priority) return start + queued_;
    double before = pipeline_;
    for (auto entry = waiting_.rbegin(); entry->priority >= priority; ++entry) before += entry->kernel;
    return start + before;
  }

  void push(Entry entry, double now, Order order) {
    start_ = std::max(start_, now);
    // The transfer overlaps the work that is already queued.
    entry.transfer = std::max(0.0, now + entry.transfer - (start_ + queued_));
    queued_ += entry.transfer + entry.kernel;
    auto const place =
        order == Order::priority
            ? std::lower_bound(waiting_.begin(), waiting_.end(), entry.priority,
                               [](Entry const& e, std::int32_t priority) { return e.priority < priority; })
            : waiting_.begin();
    waiting_.insert(place, entry);
  }

  /// Removes and returns the first task; an invalid id if the queue is empty.
  TaskId pop(double now) { return take(now, waiting_.size() - 1); }
  /// The same for the task with the fewest bytes missing, by `readiness(task)`, among those whose priority is at least
  /// that of the first.
  template <class ReadinessOf>
  TaskId pop_most_ready(double now, ReadinessOf const& readiness) {
    return take(now, best_ready(readiness));
  }

  /// Appends the waiting tasks, the first one first.
  void append_waiting(std::vector<TaskId>& tasks) const {
    for (auto entry = waiting_.rbegin(); entry != waiting_.rend(); ++entry) tasks.push_back(entry->task);
  }

  void started(TaskId task, double now) {
    Entry const& entry = popped(task);
    pipeline_ += entry.kernel - entry.transfer;
    queued_ -= entry.kernel;
    start_ = now + pipeline_;
  }
  void finished(TaskId task, double now) {
    Entry& entry = popped(task);
    pipeline_ -= entry.kernel;
    entry = popped_.back();
    popped_.pop_back();
    start_ = std::max(now + pipeline_, start_);
  }

 private:
  [[nodiscard]] Entry& popped(TaskId task) {
    auto const entry =
        std::find_if(popped_.begin(), popped_.end(), [&](Entry const& e) { return e.task == task; });
    FACTOSIM_EXPECT(entry != popped_.end(), "the task is not in this worker's pipeline");
    return *entry;
  }
  template <class ReadinessOf>
  [[nodiscard]] std::size_t best_ready(ReadinessOf const& readiness) const {
    if (waiting_.empty()) return 0;
    std::int32_t const first_priority = waiting_.back().priority;
    constexpr auto maximum = std::numeric_limits<std::int64_t>::max();
    auto best = std::tuple(maximum, maximum, maximum);
    std::size_t best_index = waiting_.size() - 1;
    for (std::size_t i = waiting_.size(); i-- > 0;) {
      if (waiting_[i].priority < first_priority) break;
      Readiness const r = readiness(waiting_[i].task);
      auto const candidate = std::tuple(r.missing, r.not_loading, r.not_allocated);
      if (candidate >= best) continue;
      best = candidate;
      best_index = i;
      if (r.missing == 0 && r.not_allocated == 0) break;
    }
    return best_index;
  }

  /// `index`: into `waiting_`; not used if that is empty.
  TaskId take(double now, std::size_t index) {
    start_ = std::max(start_, now);
    if (waiting_.empty()) return {};
    FACTOSIM_EXPECT(index < waiting_.size(), "a task is taken that does not wait");
    Entry const entry = waiting_[index];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(index));
    popped_.push_back(entry);
    queued_ -= entry.transfer;
    pipeline_ += entry.transfer;
    start_ = now + pipeline_;
    return entry.task;
  }

  std::vector<Entry> waiting_;  // the next task last: removing it is cheap
  std::vector<Entry> popped_;   // in the worker's pipeline
  double start_ = 0;            // expected start of the first waiting task
  double queued_ = 0;           // expected work of the waiting tasks, and of popped ones until they start
  double pipeline_ = 0;         // expected work of started tasks and transfers of popped ones
};

}  // namespace factosim
