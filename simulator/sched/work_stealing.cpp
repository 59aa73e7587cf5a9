#include "simulator/sched/work_stealing.hpp"

#include <cmath>

namespace factosim {

WorkStealingScheduler::WorkStealingScheduler(NodeView const& node)
    : node_(node), workers_(node.workers().size()) {}

bool WorkStealingScheduler::can_run(std::uint32_t worker, TaskId task) const {
  return !std::isinf(node_.durations(task)[worker]);
}

std::uint32_t WorkStealingScheduler::push(TaskId task, std::uint32_t pusher) {
  std::uint32_t worker = pusher;
  if (pusher == any_worker || !can_run(pusher, task)) {
    do {
      last_pushed_ = (last_pushed_ + 1) % static_cast<std::uint32_t>(workers_.size());
    } while (!can_run(last_pushed_, task));
    worker = last_pushed_;
  }
  workers_[worker].queue.push(task, node_.priority(task));
  return all_workers;
}

std::uint32_t WorkStealingScheduler::select_victim(std::uint32_t thief) {
  auto const count = static_cast<std::uint32_t>(workers_.size());
  std::uint32_t const first = workers_[thief].next_victim;
  std::uint32_t victim = count;
  std::uint32_t candidate = first;
  do {
    if (!workers_[candidate].queue.empty() && workers_[candidate].busy) {
      victim = candidate;
      break;
    }
    candidate = (candidate + 1) % count;
  } while (candidate != first);
  workers_[thief].next_victim = (candidate + 1) % count;
  return victim;
}

TaskId WorkStealingScheduler::pop(std::uint32_t worker) {
  auto const runs_here = [&](TaskId task) { return can_run(worker, task); };
  PerWorker& own = workers_[worker];
  own.busy = false;
  TaskId task = own.queue.take_first(runs_here);
  if (!task.valid())
    if (std::uint32_t const victim = select_victim(worker); victim < workers_.size())
      task = workers_[victim].queue.take_last_of_highest(runs_here);
  own.busy = task.valid();
  return task;
}

}  // namespace factosim
