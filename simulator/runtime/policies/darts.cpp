#include "simulator/runtime/policies/darts.hpp"

#include <cmath>
#include <tuple>
#include <utility>

namespace factosim {

DartsScheduler::DartsScheduler(SchedulerOptions const& options, NodeView const& node)
    : capacity_(static_cast<std::size_t>(options.darts.queued_tasks)),
      node_(node),
      plan_(options.darts, node),
      queues_(plan_.places().size()) {}

Scheduler::Assignment DartsScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  plan_.add(task);
  return to_idle_of_memories();
}

void DartsScheduler::fill(std::size_t place) {
  Queue& queue = queues_[place];
  while (true) {
    TaskId const task = queue.refused.valid() ? std::exchange(queue.refused, TaskId{}) : plan_.next(place);
    if (!task.valid()) return;
    if (queue.tasks.size() >= capacity_) {
      queue.refused = task;
      return;
    }
    queue.tasks.push_back(task);
    if (prefetcher_ != nullptr) prefetcher_->prefetch(task, plan_.places()[place].memory);
  }
}

/// The task with the fewest bytes missing, not being loaded, without memory; then the most urgent, then the first.
/// Source: StarPU 1.5 `fifo_queues.c` (starpu_st_fifo_taskq_pop_first_ready_task_ready_first).
std::size_t DartsScheduler::readiest(std::size_t place) const {
  auto const& tasks = queues_[place].tasks;
  std::size_t best = 0;
  std::tuple<std::int64_t, std::int64_t, std::int64_t, int> least;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Readiness const r = node_.readiness(tasks[i], plan_.places()[place].memory);
    std::tuple const rank(r.missing, r.not_loading, r.not_allocated, -node_.priority(tasks[i]));
    if (i > 0 && rank >= least) continue;
    bool const fewer = i == 0 || r.missing < std::get<0>(least);
    least = rank;
    best = i;
    if (fewer && r.missing == 0 && r.not_allocated == 0)
      break;  // a later one that is as ready is not looked at
  }
  return best;
}

TaskId DartsScheduler::take(std::size_t place) {
  auto& tasks = queues_[place].tasks;
  if (tasks.empty()) fill(place);
  if (tasks.empty()) return {};
  auto const best = tasks.begin() + static_cast<std::ptrdiff_t>(readiest(place));
  TaskId const task = *best;
  tasks.erase(best);
  fill(place);
  return task;
}

TaskId DartsScheduler::pop(LocalWorker worker) {
  std::size_t const place = place_of(worker);
  TaskId const task = take(place);
  if (!task.valid() || plan_.places()[place].workers == 1) return task;
  if (TaskId const second = take(place); second.valid()) queues_[place].tasks.push_front(second);
  return task;
}

void DartsScheduler::finished(LocalWorker worker, TaskId task) { plan_.finished(task, place_of(worker)); }

void DartsScheduler::planned(LocalMemory memory, std::vector<TaskId>& tasks) const {
  std::size_t const place = plan_.place_of(memory);
  Queue const& queue = queues_[place];
  tasks.insert(tasks.end(), queue.tasks.begin(), queue.tasks.end());
  if (queue.refused.valid()) tasks.push_back(queue.refused);
  plan_.append_planned(place, tasks);
}

EvictionPolicy::Victim DartsScheduler::victim(EvictionRequest const& request) {
  LocalReplica const chosen = plan_.victim(request);
  return chosen.valid() ? copy(chosen) : none();
}

}  // namespace factosim
