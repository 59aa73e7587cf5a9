#include "factosim/error.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"

#include <cstdint>
#include <limits>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/growing_array.hpp"

namespace factosim {

namespace {

/// First in, first out: evicts the evictable copy whose memory was allocated first, whether it was used since or not.
/// O(copies) each.
class FirstIn final : public EvictionPolicy {
 public:
  FirstIn(NodeView const& node, Scheduler const& /*scheduler*/) : memories_(node.memory_node_count()) {}

  Victim victim(EvictionRequest const& request) override {
    ResidentCopies const& copies = request.copies;
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    LocalReplica best;
    for (LocalReplica r = copies.first(); r.valid(); r = copies.next(r)) {
      std::uint64_t const at = allocation_[r.index() * memories_ + request.memory.index()];
      if (at >= earliest || !copies.evictable(r)) continue;
      earliest = at;
      best = r;
    }
    return best.valid() ? copy(best) : none();
  }

  void allocated(LocalReplica replica, LocalMemory memory) override {
    FACTOSIM_EXPECT(memory.index() < memories_, "a copy is in a memory that the node has not");
    allocation_.at(replica.index() * memories_ + memory.index()) = ++allocations_;
  }

 private:
  std::size_t memories_;
  GrowingArray<std::uint64_t> allocation_;  // [replicas][memory nodes] number of the copy's allocation
  std::uint64_t allocations_ = 0;
};

}  // namespace

EvictionKind first_in_eviction() {
  return {"fifo", made_eviction<FirstIn>, "the copy whose memory was allocated first"};
}

}  // namespace factosim
