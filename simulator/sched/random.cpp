#include "simulator/sched/random.hpp"

#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

namespace {

double relative_speed(NodeView::Worker const& worker) { return worker.gpu ? 13.33 : 0.5; }

}  // namespace

RandomScheduler::RandomScheduler(std::uint64_t seed, NodeView const& node)
    : node_(node), generator_(seed), queues_(node.workers().size()) {}

std::uint32_t RandomScheduler::push(TaskId task, std::uint32_t /*pusher*/) {
  auto const workers = node_.workers();
  auto const durations = node_.durations(task);
  double sum = 0;
  for (std::size_t w = 0; w < workers.size(); ++w)
    if (!std::isinf(durations[w])) sum += relative_speed(workers[w]);
  // 53 bits: std::uniform_real_distribution differs between implementations.
  double left = static_cast<double>(generator_() >> 11) * 0x1p-53 * sum;
  std::uint32_t chosen = any_worker;
  for (std::uint32_t w = 0; w < workers.size() && (chosen == any_worker || left >= 0); ++w) {
    if (std::isinf(durations[w])) continue;
    chosen = w;
    left -= relative_speed(workers[w]);
  }
  FACTOSIM_ALWAYS(chosen != any_worker, "no worker of the node can run a ready task");
  queues_[chosen].push_back(task);
  return chosen;
}

TaskId RandomScheduler::pop(std::uint32_t worker) {
  auto& queue = queues_[worker];
  if (queue.empty()) return {};
  TaskId const task = queue.front();
  queue.pop_front();
  return task;
}

}  // namespace factosim
