#include "factosim/error.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <cstdint>
#include <unordered_map>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

namespace {

/// Least used in the future, over the tasks that the scheduling policy has sent to a worker of the GPU and those that
/// the worker has popped; see FutureUses.
class LeastUsed final : public EvictionPolicy {
 public:
  LeastUsed(NodeView const& node, Scheduler const& /*scheduler*/) : uses_(node) {}

  Victim victim(EvictionRequest const& request) override {
    LocalReplica const least = uses_.least_used(request);
    return least.valid() ? copy(least) : none();
  }
  void pushed(TaskId task, LocalMemory memory) override {
    FACTOSIM_EXPECT(!sent_.contains(task.value()), "a task is sent to a worker twice");
    uses_.plan(task, memory);
    sent_[task.value()] = memory;
  }
  void popped(TaskId task, LocalMemory memory) override {
    if (auto const sent = sent_.find(task.value()); sent != sent_.end()) {
      uses_.unplan(task, sent->second);
      sent_.erase(sent);
    }
    uses_.hand_out(task, memory);
  }
  void finished(TaskId task, LocalMemory memory) override { uses_.finish(task, memory); }

 private:
  FutureUses uses_;
  std::unordered_map<std::uint32_t, LocalMemory> sent_;  // tasks that no worker has popped, by their number
};

}  // namespace

EvictionKind least_used_eviction() {
  return {"luf",
          [](NodeView const& node, Scheduler& scheduler) {
            // A scheduling policy that evicts by least use itself knows more about its plans than the tasks that it has
            // sent.
            return scheduler.eviction() != nullptr
                       ? EvictionChoice{.policy = scheduler.eviction(), .owned = {}}
                       : made_eviction<LeastUsed>(node, scheduler);
          },
          "least used in the future: the copy that the fewest planned tasks use and no popped one"};
}

}  // namespace factosim
