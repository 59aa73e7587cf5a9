#include "simulator/runtime/policies/checked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

/// A policy behind the checks.
class CheckedScheduler final : public Scheduler {
 public:
  using Tasks = CheckedPolicies::Tasks;

  CheckedScheduler(std::unique_ptr<Scheduler> policy, PolicyName name, NodeView const& node,
                   std::uint32_t number, std::shared_ptr<Tasks> tasks)
      : policy_(std::move(policy)),
        name_(std::move(name)),
        node_(node),
        number_(number),
        tasks_(std::move(tasks)),
        prefetches_(policy_->prefetches()),
        shares_tasks_(policy_->shares_tasks()),
        knows_priorities_(policy_->knows_priorities()) {}

  Assignment push(TaskId task, LocalWorker pusher) override {
    tasks_->at[task.index()] = number_;
    Assignment const assignment = policy_->push(task, pusher);
    if (assignment.to == Assignment::To::worker) check_assignment(task, assignment.worker);
    return assignment;
  }

  TaskId pop(LocalWorker worker) override {
    TaskId const task = policy_->pop(worker);
    if (task.valid()) check_popped(task, worker);
    return task;
  }

  void connect(Prefetcher& prefetcher) override { policy_->connect(prefetcher); }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override {
    policy_->planned(memory, tasks);
  }
  [[nodiscard]] EvictionPolicy* eviction() override { return policy_->eviction(); }
  void started(LocalWorker worker, TaskId task) override { policy_->started(worker, task); }
  void finished(LocalWorker worker, TaskId task) override { policy_->finished(worker, task); }
  [[nodiscard]] bool prefetches() const override { return prefetches_; }
  [[nodiscard]] bool shares_tasks() const override { return shares_tasks_; }
  [[nodiscard]] bool knows_priorities() const override { return knows_priorities_; }

 private:
  [[noreturn]] void fail(std::string_view problem) const { name_.fail(problem); }

  void check_assignment(TaskId task, LocalWorker worker) const {
    std::size_t const workers = node_.workers().size();
    if (!worker.valid() || worker.index() >= workers)
      fail(fmt::format(
          "push of task {} returned worker {} (the node has workers 0 to {}). Return one of these",
          task.value(), worker.valid() ? fmt::format("{}", worker.value()) : "none", workers - 1));
    if (!node_.can_run(task, worker))
      fail(
          fmt::format("push of task {} returned worker {} (it cannot run {}: there is no timing). Return a "
                      "worker with a finite duration",
                      task.value(), worker.value(), node_.graph().kernel_of(task).name));
  }

  void check_popped(TaskId task, LocalWorker worker) {
    auto const popped = [&](std::string_view why) {
      fail(fmt::format("pop of worker {} returned task {} ({}). Return each task that was pushed once",
                       worker.value(), task.value(), why));
    };
    if (task.index() >= tasks_->at.size()) popped("no task has this number");
    std::uint32_t& at = tasks_->at[task.index()];
    if (at == Tasks::popped) popped("it was returned before");
    if (at != number_) popped("it was not pushed on this node");
    if (!node_.can_run(task, worker))
      fail(
          fmt::format("pop of worker {} returned task {} (the worker cannot run {}: there is no timing). "
                      "Keep it for another worker",
                      worker.value(), task.value(), node_.graph().kernel_of(task).name));
    at = Tasks::popped;
  }

  std::unique_ptr<Scheduler> policy_;
  PolicyName name_;
  NodeView const& node_;
  std::uint32_t number_;  // of the node
  std::shared_ptr<Tasks> tasks_;
  bool prefetches_, shares_tasks_, knows_priorities_;
};

void PolicyName::fail(std::string_view problem) const {
  FACTOSIM_ALWAYS(!built_in, fmt::format("policy {}: {}", name, problem));
  if (where.empty()) throw InputError(fmt::format("policy {}#", name), problem);
  throw InputError(where, fmt::format("{}: {}", name, problem));
}

CheckedPolicies::CheckedPolicies(SchedulerOptions const& options)
    : name_{.name = options.type, .where = options.where, .built_in = !options.own},
      tasks_(std::make_shared<Tasks>()) {}

std::unique_ptr<Scheduler> CheckedPolicies::make(SchedulerOptions const& options, NodeView const& node) {
  tasks_->at.resize(node.graph().task_count(), NodeId::none);
  std::unique_ptr<Scheduler> policy = make_scheduler(options, node);
  if (!policy) name_.fail("was not made (its maker returned none). Return a policy");
  return std::make_unique<CheckedScheduler>(std::move(policy), name_, node, nodes_++, tasks_);
}

void CheckedPolicies::check_empty() const {
  auto const waits = [](std::uint32_t at) { return at != NodeId::none && at != Tasks::popped; };
  auto const first = std::ranges::find_if(tasks_->at, waits);
  if (first == tasks_->at.end()) return;
  auto const count = std::ranges::count_if(tasks_->at, waits);
  name_.fail(fmt::format(
      "keeps {} task{} for ever, task {} on node {} first (no worker is busy, and pop returned none to those "
      "that were woken). Return each task that was pushed, to a worker that push has named",
      count, count == 1 ? "" : "s", first - tasks_->at.begin(), *first));
}

}  // namespace factosim
