#include "simulator/runtime/eviction/first_in.hpp"

#include <limits>

namespace factosim {

FirstIn::FirstIn(NodeView const& node, Scheduler const& /*scheduler*/)
    : memories_(node.memory_node_count()) {}

EvictionPolicy::Victim FirstIn::victim(EvictionRequest const& request) {
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

}  // namespace factosim
