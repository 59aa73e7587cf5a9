#include "simulator/runtime/policies/hp.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace factosim {

HpScheduler::HpScheduler(NodeView const& node) : node_(node), ready_(node) {}

Scheduler::Assignment HpScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  ready_.of(task).tasks.push_front(task);
  return to_all_workers();
}

bool HpScheduler::for_cores_only(KernelQueues::Queue const& queue) const {
  if (&queue != &ready_.queues().front() || queue.tasks.empty()) return false;
  auto const durations = node_.durations(queue.tasks.front());
  for (std::size_t w = 0; w < durations.size(); ++w)
    if (!node_.workers()[w].gpu && !std::isinf(durations[w])) return true;
  return false;
}

TaskId HpScheduler::pop(LocalWorker worker) {
  TaskId task;
  if (node_.workers()[worker.index()].gpu) {
    for (KernelQueues::Queue& queue : ready_.queues() | std::views::reverse)
      if (!for_cores_only(queue) && (task = ready_.take(queue, worker)).valid()) break;
  } else {
    for (KernelQueues::Queue& queue : ready_.queues())
      if ((task = ready_.take(queue, worker)).valid()) break;
  }
  return task;
}

}  // namespace factosim
