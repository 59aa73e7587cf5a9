#include "factosim/error.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/growing_array.hpp"
#include "simulator/runtime/policies/future_uses.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

/// Belady's rule on the tasks that are known: those that workers of the GPU have popped, in that order, then those that
/// the scheduling policy has planned for it, in the order that it expects. Evicts the copy whose first use comes last,
/// the least recently used among those that no known task uses. Optimal for one memory and a fixed order of tasks
/// (Belady, IBM Systems Journal 5(2), 1966); here the order is an expectation and covers ready tasks only.
/// O(planned tasks + copies) each.
class FarthestUse final : public EvictionPolicy {
 public:
  FarthestUse(NodeView const& node, Scheduler const& scheduler)
      : node_(node), scheduler_(scheduler), uses_(node), next_use_(never) {}

  Victim victim(EvictionRequest const& request) override {
    number_uses(request.memory);
    ResidentCopies const& copies = request.copies;
    LocalReplica best;
    for (LocalReplica r = copies.first(); r.valid(); r = copies.next(r)) {
      if (best.valid() && next_use_[r.index()] <= next_use_[best.index()]) continue;
      if (copies.evictable(r)) best = r;
      if (best.valid() && next_use_[best.index()] == never) break;
    }
    for (TaskId const task : known_)
      for (std::size_t i = 0; i < node_.graph().accesses_of(task).size(); ++i)
        next_use_.at(node_.replica(task, i).index()) = never;
    FACTOSIM_ENSURE(best != request.wanted || !best.valid(), "a copy leaves to make room for itself");
    return best.valid() ? copy(best) : none();
  }

  void popped(TaskId task, LocalMemory memory) override { uses_.hand_out(task, memory); }
  void finished(TaskId task, LocalMemory memory) override { uses_.finish(task, memory); }

 private:
  void number_uses(LocalMemory memory) {
    known_ = uses_.running(memory);
    scheduler_.planned(memory, known_);
    for (std::uint32_t place = 0; place < known_.size(); ++place)
      for (std::size_t i = 0; i < node_.graph().accesses_of(known_[place]).size(); ++i) {
        std::uint32_t& next = next_use_.at(node_.replica(known_[place], i).index());
        next = std::min(next, place);
      }
  }

  NodeView const& node_;
  Scheduler const& scheduler_;
  FutureUses uses_;
  std::vector<TaskId> known_;             // scratch: running, then planned
  GrowingArray<std::uint32_t> next_use_;  // [replicas] place of the first task in `known_` that uses it
};

}  // namespace

EvictionKind farthest_use_eviction() {
  return {"belady", made_eviction<FarthestUse>,
          "the copy whose next use by popped and planned tasks is farthest"};
}

}  // namespace factosim
