#include "simulator/runtime/policies/kernel_queues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace factosim {

KernelQueues::Queue& KernelQueues::of(TaskId task) {
  std::uint32_t const kernel = node_.graph().kernel[task.index()];
  auto const known = std::ranges::find(queues_, kernel, &Queue::kernel);
  if (known != queues_.end()) return *known;
  double const accelerated = acceleration(task);
  auto const place = std::ranges::upper_bound(queues_, accelerated, {}, &Queue::acceleration);
  return *queues_.insert(place, {.kernel = kernel, .acceleration = accelerated, .tasks = {}});
}

double KernelQueues::acceleration(TaskId task) const {
  constexpr double infinity = std::numeric_limits<double>::infinity(), microsecond = 1e-6;
  auto const durations = node_.durations(task);
  double core = -infinity, gpu = infinity;
  for (std::size_t w = 0; w < durations.size(); ++w) {
    if (std::isinf(durations[w])) continue;
    if (node_.workers()[w].gpu)
      gpu = std::min(gpu, durations[w]);
    else
      core = std::max(core, durations[w]);
  }
  if (std::isinf(core)) return infinity;
  return core / (gpu + microsecond);
}

std::size_t KernelQueues::tasks() const {
  std::size_t out = 0;
  for (Queue const& queue : queues_) out += queue.tasks.size();
  return out;
}

TaskId KernelQueues::take(Queue& queue, LocalWorker worker) const {
  if (queue.tasks.empty()) return {};
  TaskId const task = queue.tasks.front();
  if (std::isinf(node_.durations(task)[worker.index()])) return {};
  queue.tasks.pop_front();
  return task;
}

}  // namespace factosim
