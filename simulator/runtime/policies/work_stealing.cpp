#include "simulator/runtime/policies/work_stealing.hpp"

#include <cmath>

namespace factosim {

WorkStealingScheduler::WorkStealingScheduler(NodeView const& node)
    : node_(node), workers_(node.workers().size()) {}

bool WorkStealingScheduler::can_run(LocalWorker worker, TaskId task) const {
  return !std::isinf(node_.durations(task)[worker.index()]);
}

Scheduler::Assignment WorkStealingScheduler::push(TaskId task, LocalWorker pusher) {
  LocalWorker worker = pusher;
  if (!pusher.valid() || !can_run(pusher, task)) {
    do {
      last_pushed_ = (last_pushed_ + 1) % workers_.size();
    } while (!can_run(LocalWorker{last_pushed_}, task));
    worker = LocalWorker{last_pushed_};
  }
  workers_[worker.index()].queue.push(task, node_.priority(task));
  return to_all_workers();
}

LocalWorker WorkStealingScheduler::select_victim(LocalWorker thief) {
  std::size_t const first = workers_[thief.index()].next_victim;
  std::size_t candidate = first;
  LocalWorker victim;
  do {
    if (!workers_[candidate].queue.empty() && workers_[candidate].busy) {
      victim = LocalWorker{candidate};
      break;
    }
    candidate = (candidate + 1) % workers_.size();
  } while (candidate != first);
  workers_[thief.index()].next_victim = (candidate + 1) % workers_.size();
  return victim;
}

TaskId WorkStealingScheduler::pop(LocalWorker worker) {
  auto const runs_here = [&](TaskId task) { return can_run(worker, task); };
  PerWorker& own = workers_[worker.index()];
  own.busy = false;
  TaskId task = own.queue.take_first(runs_here);
  if (!task.valid())
    if (LocalWorker const victim = select_victim(worker); victim.valid())
      task = workers_[victim.index()].queue.take_last_of_highest(runs_here);
  own.busy = task.valid();
  return task;
}

}  // namespace factosim
