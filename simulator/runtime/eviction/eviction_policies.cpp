#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <stdexcept>

/// The files of eviction policies, in the order in which messages list them. FILE.cpp defines FILE_eviction().
#define FACTOSIM_FILES_OF_EVICTIONS(FILE) \
  FILE(first_in)                          \
  FILE(least_used)                        \
  FILE(farthest_use)

namespace factosim {

#define FACTOSIM_DECLARE(file) EvictionKind file##_eviction();
FACTOSIM_FILES_OF_EVICTIONS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

EvictionChoice of_scheduler(NodeView const& /*node*/, Scheduler& scheduler) {
  return {.policy = scheduler.eviction(), .owned = {}};
}

EvictionChoice own_list(NodeView const& /*node*/, Scheduler& /*scheduler*/) { return {}; }

std::vector<EvictionKind> const& evictions() {
  static std::vector<EvictionKind> const all = {
      {"default", of_scheduler, "the scheduling policy's own (`darts`: `luf`), else `lru`"},
      {"lru", own_list, "StarPU's list: least recently used, clean copies first"},
#define FACTOSIM_LIST(file) file##_eviction(),
      FACTOSIM_FILES_OF_EVICTIONS(FACTOSIM_LIST)
#undef FACTOSIM_LIST
  };
  return all;
}

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

std::vector<DescribedName> described_evictions() { return described(evictions()); }

EvictionChoice make_eviction(std::string const& name, NodeView const& node, Scheduler& scheduler) {
  for (EvictionKind const& eviction : evictions())
    if (eviction.name == name) return eviction.make(node, scheduler);
  throw std::out_of_range("unknown eviction policy " + name);
}

std::unique_ptr<Scheduler> observed(std::unique_ptr<Scheduler> policy, NodeView const& node,
                                    EvictionPolicy& eviction) {
  return std::make_unique<ObservedScheduler>(std::move(policy), node, eviction);
}

}  // namespace factosim
