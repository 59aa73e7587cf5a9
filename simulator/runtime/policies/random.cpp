#include "simulator/runtime/policies/policies.hpp"

#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"

namespace factosim {

namespace {

double relative_speed(NodeView::Worker const& worker) { return worker.gpu ? 13.33 : 0.5; }

/// Draws the worker of a ready task at random among those that can run it, a GPU 26.66 times as often as a
/// core (StarPU's relative speeds are 13.33 and 0.5). Queues are first in first out; inputs are not
/// prefetched. Source: StarPU 1.4 `random_policy.c`; the seed is that of the scenario.
class RandomScheduler final : public Scheduler {
 public:
  RandomScheduler(std::uint64_t seed, NodeView const& node)
      : node_(node), generator_(seed), queues_(node.workers().size()) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
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

  TaskId pop(LocalWorker worker) override {
    auto& queue = queues_[worker.index()];
    if (queue.empty()) return {};
    TaskId const task = queue.front();
    queue.pop_front();
    return task;
  }
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  NodeView const& node_;
  std::mt19937_64 generator_;
  std::vector<std::deque<TaskId>> queues_;  // [workers]
};

}  // namespace

std::vector<PolicyKind> random_policies() {
  return {{"random",
           [](SchedulerOptions const& options, NodeView const& node) {
             return std::make_unique<RandomScheduler>(options.seed, node);
           },
           "a random worker, GPUs more often than cores"}};
}

}  // namespace factosim
