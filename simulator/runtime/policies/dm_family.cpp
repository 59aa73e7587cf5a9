#include "simulator/runtime/policies/policies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/expected_queue.hpp"

namespace factosim {

namespace {

/// The deque-model policies of StarPU. A ready task goes at once to the queue of the worker w with the least
/// fitness, the first among equals:
///
///   fitness(w) = alpha (end(w) - min end) + beta transfer(w) + gamma (energy(w) + idle energy(w))
///   end(w)     = max(queue end of w, now + transfer(w)) + kernel(w)
///
/// energy(w) is the power of the worker times the duration of the kernel, idle energy(w) that of the idle
/// machine while the task makes the run longer; both are 0 where no power is known. The members of the family
/// differ in their traits. Source: StarPU 1.4 `deque_modeling_policy_data_aware.c`.
class DequeModelScheduler final : public Scheduler {
 public:
  struct Traits {
    bool data_aware = false;   // transfers count in the decision
    bool sorted = false;       // queues are ordered by priority
    bool ready_first = false;  // pop prefers the task with the fewest bytes missing
    /// The queue end of a worker counts only the tasks that would be before the new one.
    bool sorted_decision = false;
  };

  DequeModelScheduler(Traits traits, SchedulerOptions const& options, NodeView const& node)
      : traits_(traits),
        options_(options),
        node_(node),
        queues_(node.workers().size()),
        transfers_(node.memory_node_count()),
        ends_(node.workers().size()),
        knows_powers_(std::ranges::any_of(node.workers(),
                                          [](NodeView::Worker const& w) { return w.busy_power > 0; })) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    double const now = node_.now().value;
    if (traits_.data_aware) {
      node_.predict_transfers(task, transfers_);
      for (double& transfer : transfers_) transfer *= options_.transfer_factor;
    }
    auto const durations = node_.durations(task);
    LocalWorker const worker = best_worker(task, durations, now);
    queues_[worker.index()].push(
        {.task = task,
         .priority = knows_priorities() ? node_.priority(task) : 0,
         .transfer = transfers_[node_.workers()[worker.index()].memory.index()],
         .kernel = durations[worker.index()]},
        now, traits_.sorted ? ExpectedQueue::Order::priority : ExpectedQueue::Order::fifo);
    return to_worker(worker);
  }

  TaskId pop(LocalWorker worker) override {
    ExpectedQueue& queue = queues_[worker.index()];
    double const now = node_.now().value;
    if (!traits_.ready_first) return queue.pop(now);
    LocalMemory const memory = node_.workers()[worker.index()].memory;
    return queue.pop_most_ready(now, [&](TaskId task) { return node_.readiness(task, memory); });
  }
  void started(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].started(task, node_.now().value);
  }
  void finished(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].finished(task, node_.now().value);
  }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override {
    auto const workers = node_.workers();
    for (std::size_t w = 0; w < workers.size(); ++w)
      if (workers[w].memory == memory) queues_[w].append_waiting(tasks);
  }
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return traits_.sorted; }

 private:
  [[nodiscard]] LocalWorker best_worker(TaskId task, std::span<double const> durations, double now) {
    auto const workers = node_.workers();
    int const priority = node_.priority(task);
    double earliest_end = std::numeric_limits<double>::infinity();
    double last_queue_end = 0;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      double const arrival = now + transfers_[workers[w].memory.index()];
      double const queue_end =
          traits_.sorted_decision ? queues_[w].end_before(now, priority) : queues_[w].end(now);
      last_queue_end = std::max(last_queue_end, queue_end);
      ends_[w] = std::max(queue_end, arrival) + durations[w];
      earliest_end = std::min(earliest_end, ends_[w]);
    }
    double const seconds_per_joule = traits_.data_aware ? options_.gamma * 1e-6 : 0;
    double min_fitness = std::numeric_limits<double>::infinity();
    LocalWorker best;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      double const of_times =
          options_.alpha * (ends_[w] - earliest_end) + options_.beta * transfers_[workers[w].memory.index()];
      if (std::isinf(durations[w]) || of_times >= min_fitness) continue;  // energy only adds
      double const energy = (knows_powers_ ? node_.busy_power(task, LocalWorker{w}) * durations[w] : 0) +
                            options_.idle_power * std::max(0.0, ends_[w] - last_queue_end);
      double const fitness = of_times + seconds_per_joule * energy;
      if (fitness < min_fitness) {
        min_fitness = fitness;
        best = LocalWorker{w};
      }
    }
    FACTOSIM_ALWAYS(best.valid(), "no worker of the node can run a ready task");
    return best;
  }

  Traits traits_;
  SchedulerOptions options_;
  NodeView const& node_;
  std::vector<ExpectedQueue> queues_;  // [workers]
  std::vector<double> transfers_;      // [memory nodes] scratch
  std::vector<double> ends_;           // [workers] scratch
  bool knows_powers_;
};

}  // namespace

std::vector<PolicyKind> dm_family_policies() {
  auto const with = [](DequeModelScheduler::Traits traits) {
    return [traits](SchedulerOptions const& options, NodeView const& node) {
      return std::make_unique<DequeModelScheduler>(traits, options, node);
    };
  };
  return {
      {"dm", with({}), "the worker with the earliest expected end"},
      {"dmda", with({.data_aware = true}), "dm, with the time of transfers"},
      {"dmdar", with({.data_aware = true, .ready_first = true}), "dmda; tasks whose data are there first"},
      {"dmdap", with({.data_aware = true, .sorted = true}), "dmda; queues by priority"},
      {"dmdas", with({.data_aware = true, .sorted = true, .ready_first = true}),
       "dmda; queues by priority, then tasks whose data are there"},
      {"dmdasd", with({.data_aware = true, .sorted = true, .ready_first = true, .sorted_decision = true}),
       "dmdas; the expected end counts only tasks of at least the priority"}};
}

}  // namespace factosim
