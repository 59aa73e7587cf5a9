#include "simulator/runtime/policies/expected_queue.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

void ExpectedQueue::push(Entry entry, double now, Order order) {
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

double ExpectedQueue::end_before(double now, std::int32_t priority) const {
  double const start = std::max(start_, now);
  if (waiting_.empty() || priority > waiting_.back().priority) return start + pipeline_;
  if (priority <= waiting_.front().priority) return start + queued_;
  double before = pipeline_;
  for (auto entry = waiting_.rbegin(); entry->priority >= priority; ++entry) before += entry->kernel;
  return start + before;
}

TaskId ExpectedQueue::take(double now, std::size_t index) {
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

ExpectedQueue::Entry& ExpectedQueue::popped(TaskId task) {
  auto const entry =
      std::find_if(popped_.begin(), popped_.end(), [&](Entry const& e) { return e.task == task; });
  FACTOSIM_EXPECT(entry != popped_.end(), "the task is not in this worker's pipeline");
  return *entry;
}

void ExpectedQueue::started(TaskId task, double now) {
  Entry const& entry = popped(task);
  pipeline_ += entry.kernel - entry.transfer;
  queued_ -= entry.kernel;
  start_ = now + pipeline_;
}

void ExpectedQueue::finished(TaskId task, double now) {
  Entry& entry = popped(task);
  pipeline_ -= entry.kernel;
  entry = popped_.back();
  popped_.pop_back();
  start_ = std::max(now + pipeline_, start_);
}

}  // namespace factosim
