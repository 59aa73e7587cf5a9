#include "simulator/runtime/policies/random.hpp"

#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

namespace {

double relative_speed(NodeView::Worker const& worker) { return worker.gpu ? 13.33 : 0.5; }

}  // namespace

RandomScheduler::RandomScheduler(std::uint64_t seed, NodeView const& node)
    : node_(node), generator_(seed), queues_(node.workers().size()) {}

Scheduler::Assignment RandomScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  auto const workers = node_.workers();
  auto const durations = node_.durations(task);
  double sum = 0;
  for (std::size_t w = 0; w < workers.size(); ++w)
    if (!std::isinf(durations[w])) sum += relative_speed(workers[w]);
  // A double of 53 random bits: the results of standard distributions depend on the implementation.
  double left = static_cast<double>(generator_() >> 11) * 0x1p-53 * sum;
  LocalWorker chosen;
  for (std::size_t w = 0; w < workers.size() && (!chosen.valid() || left >= 0); ++w) {
    if (std::isinf(durations[w])) continue;
    chosen = LocalWorker{w};
    left -= relative_speed(workers[w]);
  }
  FACTOSIM_ALWAYS(chosen.valid(), "no worker of the node can run a ready task");
  queues_[chosen.index()].push_back(task);
  return to_worker(chosen);
}

TaskId RandomScheduler::pop(LocalWorker worker) {
  auto& queue = queues_[worker.index()];
  if (queue.empty()) return {};
  TaskId const task = queue.front();
  queue.pop_front();
  return task;
}

}  // namespace factosim
