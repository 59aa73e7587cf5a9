#pragma once

#include <cstdint>
#include <unordered_map>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

/// Least used in the future, over the tasks that the scheduling policy has sent to a worker of the GPU and those that
/// the worker has popped; see FutureUses.
class LeastUsed final : public EvictionPolicy {
 public:
  LeastUsed(NodeView const& node, Scheduler const& scheduler);

  Victim victim(EvictionRequest const& request) override;
  void pushed(TaskId task, LocalMemory memory) override;
  void popped(TaskId task, LocalMemory memory) override;
  void finished(TaskId task, LocalMemory memory) override { uses_.finish(task, memory); }

 private:
  FutureUses uses_;
  std::unordered_map<std::uint32_t, LocalMemory> sent_;  // tasks that no worker has popped, by their number
};

}  // namespace factosim
