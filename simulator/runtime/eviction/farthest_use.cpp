#include "simulator/runtime/eviction/farthest_use.hpp"

#include <algorithm>
#include <limits>

namespace factosim {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

}  // namespace

FarthestUse::FarthestUse(NodeView const& node, Scheduler const& scheduler)
    : node_(node), scheduler_(scheduler), uses_(node), next_use_(never) {}

void FarthestUse::number_uses(LocalMemory memory) {
  known_ = uses_.running(memory);
  scheduler_.planned(memory, known_);
  for (std::uint32_t place = 0; place < known_.size(); ++place)
    for (std::size_t i = 0; i < node_.graph().accesses_of(known_[place]).size(); ++i) {
      std::uint32_t& next = next_use_.at(node_.replica(known_[place], i).index());
      next = std::min(next, place);
    }
}

EvictionPolicy::Victim FarthestUse::victim(EvictionRequest const& request) {
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
  return best.valid() ? copy(best) : none();
}

}  // namespace factosim
