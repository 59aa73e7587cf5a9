#pragma once

#include <cstdint>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/growing_array.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

/// Belady's rule on the tasks that are known: those that workers of the GPU have popped, in that order, then those that
/// the scheduling policy has planned for it, in the order that it expects. Evicts the copy whose first use comes last,
/// the least recently used among those that no known task uses. Optimal for one memory and a fixed order of tasks
/// (Belady, IBM Systems Journal 5(2), 1966); here the order is an expectation and covers ready tasks only.
/// O(planned tasks + copies) each.
class FarthestUse final : public EvictionPolicy {
 public:
  FarthestUse(NodeView const& node, Scheduler const& scheduler);

  Victim victim(EvictionRequest const& request) override;
  void popped(TaskId task, LocalMemory memory) override { uses_.hand_out(task, memory); }
  void finished(TaskId task, LocalMemory memory) override { uses_.finish(task, memory); }

 private:
  void number_uses(LocalMemory memory);

  NodeView const& node_;
  Scheduler const& scheduler_;
  FutureUses uses_;
  std::vector<TaskId> known_;             // scratch: running, then planned
  GrowingArray<std::uint32_t> next_use_;  // [replicas] place of the first task in `known_` that uses it
};

}  // namespace factosim
