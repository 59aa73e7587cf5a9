#include "simulator/studies/search/guided_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/tasks/graph/critical_path.hpp"

namespace factosim {

namespace {

/// A node on which tasks that are kept to a kind of worker cannot run on the other.
class GuidedView final : public NodeView {
 public:
  GuidedView(NodeView const& node, std::shared_ptr<std::vector<WorkerKind> const> kinds)
      : node_(node), kinds_(std::move(kinds)), kept_(2 * node.graph().kernels.size()) {
    for (std::size_t t = 0; t < node.graph().task_count(); ++t) {
      TaskId const task{t};
      if (WorkerKind const kind = (*kinds_)[t]; kind != WorkerKind::any && node.runs_here(task))
        keep(task, kind);
    }
  }

  std::span<Worker const> workers() const override { return node_.workers(); }
  std::size_t memory_node_count() const override { return node_.memory_node_count(); }
  Seconds now() const override { return node_.now(); }
  int priority(TaskId task) const override { return node_.priority(task); }
  std::span<double const> durations(TaskId task) const override {
    WorkerKind const kind = (*kinds_)[task.index()];
    if (kind == WorkerKind::any || !node_.runs_here(task)) return node_.durations(task);
    return kept_[row(task, kind)];
  }
  double busy_power(TaskId task, LocalWorker worker) const override { return node_.busy_power(task, worker); }
  void predict_transfers(TaskId task, std::span<double> seconds) const override {
    node_.predict_transfers(task, seconds);
  }
  Readiness readiness(TaskId task, LocalMemory memory) const override {
    return node_.readiness(task, memory);
  }
  TaskGraph const& graph() const override { return node_.graph(); }
  bool runs_here(TaskId task) const override { return node_.runs_here(task); }
  Seconds copy_time(LocalMemory from, LocalMemory to, Bytes size) const override {
    return node_.copy_time(from, to, size);
  }
  std::size_t replica_count() const override { return node_.replica_count(); }
  LocalReplica replica(TaskId task, std::size_t operand) const override {
    return node_.replica(task, operand);
  }
  bool present(LocalReplica replica, LocalMemory memory) const override {
    return node_.present(replica, memory);
  }
  Seconds transfer_time(LocalReplica replica, LocalMemory memory) const override {
    return node_.transfer_time(replica, memory);
  }

 private:
  [[nodiscard]] std::size_t row(TaskId task, WorkerKind kind) const {
    return 2 * std::size_t{node_.graph().kernel[task.index()]} + (kind == WorkerKind::gpu ? 0 : 1);
  }

  void keep(TaskId task, WorkerKind kind) {
    std::vector<double>& kept = kept_[row(task, kind)];
    if (!kept.empty()) return;
    auto const all = node_.durations(task);
    kept.assign(all.begin(), all.end());
    for (std::size_t w = 0; w < kept.size(); ++w)
      if (workers()[w].gpu != (kind == WorkerKind::gpu)) kept[w] = std::numeric_limits<double>::infinity();
    if (std::ranges::all_of(kept, [](double d) { return std::isinf(d); }))
      kept.assign(all.begin(), all.end());
  }

  NodeView const& node_;
  std::shared_ptr<std::vector<WorkerKind> const> kinds_;
  std::vector<std::vector<double>>
      kept_;  // [kernels][GPUs, cores][workers]; empty: no task of it is kept there
};

/// A policy on a guided view.
class GuidedScheduler final : public Scheduler {
 public:
  GuidedScheduler(SchedulerOptions const& options, NodeView const& node,
                  std::shared_ptr<std::vector<WorkerKind> const> kinds)
      : view_(node, std::move(kinds)), policy_(make_scheduler(options, view_)) {}

  Assignment push(TaskId task, LocalWorker pusher) override { return policy_->push(task, pusher); }
  TaskId pop(LocalWorker worker) override { return policy_->pop(worker); }
  void connect(Prefetcher& prefetcher) override { policy_->connect(prefetcher); }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override {
    policy_->planned(memory, tasks);
  }
  EvictionPolicy* eviction() override { return policy_->eviction(); }
  void started(LocalWorker worker, TaskId task) override { policy_->started(worker, task); }
  void finished(LocalWorker worker, TaskId task) override { policy_->finished(worker, task); }
  bool prefetches() const override { return policy_->prefetches(); }
  bool shares_tasks() const override { return policy_->shares_tasks(); }
  bool knows_priorities() const override { return policy_->knows_priorities(); }

 private:
  GuidedView view_;
  std::unique_ptr<Scheduler> policy_;
};

double fastest(TaskPlan const& p, TaskId task) {
  double const out = std::ranges::min(
      p.machine.durations(p.stored().plan.node_of(task), p.stored().graph.kernel[task.index()]));
  return std::isinf(out) ? 0 : out;
}

}  // namespace

SchedulerMaker guided(SchedulerOptions options, std::shared_ptr<std::vector<WorkerKind> const> kinds) {
  options.own = {};
  return [options = std::move(options), kinds = std::move(kinds)](NodeView const& node) {
    return std::make_unique<GuidedScheduler>(options, node, kinds);
  };
}

std::vector<double> slacks(TaskPlan const& p) {
  std::vector<double> start(p.stored().graph.task_count(), 0), rest(start);
  std::vector<TaskId> const order = ordered_tasks(p.stored().graph);
  double longest = 0;
  for (TaskId const t : order) {
    double const end = start[t.index()] + fastest(p, t);
    longest = std::max(longest, end);
    for (TaskId const next : p.stored().graph.successors_of(t))
      start[next.index()] = std::max(start[next.index()], end);
  }
  for (auto t = order.rbegin(); t != order.rend(); ++t) {
    for (TaskId const next : p.stored().graph.successors_of(*t))
      rest[t->index()] = std::max(rest[t->index()], rest[next.index()]);
    rest[t->index()] += fastest(p, *t);
  }
  for (std::size_t t = 0; t < start.size(); ++t) start[t] = longest - start[t] - rest[t];
  return start;
}

std::vector<WorkerKind> kinds_of(CoreShares const& shares, TaskPlan const& p) {
  std::vector<std::vector<TaskId>> by_kernel(p.stored().graph.kernels.size());
  for (std::uint32_t t = 0; t < p.stored().graph.task_count(); ++t)
    by_kernel[p.stored().graph.kernel[t]].emplace_back(t);
  std::vector<WorkerKind> out(p.stored().graph.task_count(), WorkerKind::any);
  for (std::size_t k = 0; k < by_kernel.size(); ++k) {
    std::ranges::stable_sort(by_kernel[k], std::ranges::greater{},
                             [&](TaskId t) { return shares.slack[t.index()]; });
    auto const kept = static_cast<std::size_t>(shares.share[k] * static_cast<double>(by_kernel[k].size()));
    for (std::size_t i = 0; i < kept; ++i) out[by_kernel[k][i].index()] = WorkerKind::core;
  }
  return out;
}

std::vector<std::size_t> kernels_of_both_kinds(TaskPlan const& p) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < p.stored().graph.kernels.size(); ++k) {
    bool const both = std::ranges::any_of(p.machine.type_of, [&](std::uint32_t type) {
      auto const durations = p.machine.types[type].durations_of(k);
      std::size_t const gpus = p.machine.types[type].gpus;
      auto const finite = [](double d) { return !std::isinf(d); };
      return std::ranges::any_of(durations.first(gpus), finite) &&
             std::ranges::any_of(durations.subspan(gpus), finite);
    });
    if (both) out.push_back(k);
  }
  return out;
}

}  // namespace factosim
