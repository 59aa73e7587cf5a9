#include "simulator/runtime/eviction/least_used.hpp"

namespace factosim {

LeastUsed::LeastUsed(NodeView const& node, Scheduler const& /*scheduler*/) : uses_(node) {}

EvictionPolicy::Victim LeastUsed::victim(EvictionRequest const& request) {
  LocalReplica const least = uses_.least_used(request);
  return least.valid() ? copy(least) : none();
}

void LeastUsed::pushed(TaskId task, LocalMemory memory) {
  uses_.plan(task, memory);
  sent_[task.value()] = memory;
}

void LeastUsed::popped(TaskId task, LocalMemory memory) {
  if (auto const sent = sent_.find(task.value()); sent != sent_.end()) {
    uses_.unplan(task, sent->second);
    sent_.erase(sent);
  }
  uses_.hand_out(task, memory);
}

}  // namespace factosim
