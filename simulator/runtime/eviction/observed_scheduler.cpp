#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <utility>

namespace factosim {

namespace {

class ObservedScheduler final : public Scheduler {
 public:
  ObservedScheduler(std::unique_ptr<Scheduler> policy, NodeView const& node, EvictionPolicy& eviction)
      : policy_(std::move(policy)), node_(node), eviction_(eviction) {}

  void connect(Prefetcher& prefetcher) override { policy_->connect(prefetcher); }
  Assignment push(TaskId task, LocalWorker pusher) override {
    Assignment const assignment = policy_->push(task, pusher);
    if (assignment.worker.valid()) eviction_.pushed(task, memory_of(assignment.worker));
    return assignment;
  }
  TaskId pop(LocalWorker worker) override {
    TaskId const task = policy_->pop(worker);
    if (task.valid()) eviction_.popped(task, memory_of(worker));
    return task;
  }
  void started(LocalWorker worker, TaskId task) override { policy_->started(worker, task); }
  void finished(LocalWorker worker, TaskId task) override {
    policy_->finished(worker, task);
    eviction_.finished(task, memory_of(worker));
  }
  [[nodiscard]] bool prefetches() const override { return policy_->prefetches(); }
  [[nodiscard]] bool shares_tasks() const override { return policy_->shares_tasks(); }
  [[nodiscard]] bool knows_priorities() const override { return policy_->knows_priorities(); }
  void planned(LocalMemory memory, std::vector<TaskId>& tasks) const override {
    policy_->planned(memory, tasks);
  }
  [[nodiscard]] EvictionPolicy* eviction() override { return policy_->eviction(); }

 private:
  [[nodiscard]] LocalMemory memory_of(LocalWorker worker) const {
    return node_.workers()[worker.index()].memory;
  }

  std::unique_ptr<Scheduler> policy_;
  NodeView const& node_;
  EvictionPolicy& eviction_;
};

}  // namespace

std::unique_ptr<Scheduler> observed(std::unique_ptr<Scheduler> policy, NodeView const& node,
                                    EvictionPolicy& eviction) {
  return std::make_unique<ObservedScheduler>(std::move(policy), node, eviction);
}

}  // namespace factosim
