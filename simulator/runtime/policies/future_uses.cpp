#include "simulator/runtime/policies/future_uses.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

FutureUses::FutureUses(NodeView const& node)
    : node_(node), memories_(node.memory_node_count()), running_(memories_) {}

void FutureUses::count(GrowingArray<std::int32_t>& uses, TaskId task, LocalMemory memory, std::int32_t by) {
  std::size_t const operands = node_.graph().accesses_of(task).size();
  for (std::size_t i = 0; i < operands; ++i) {
    std::int32_t& known = uses.at(at(node_.replica(task, i), memory));
    known += by;
    FACTOSIM_ENSURE(known >= 0, "a copy has fewer than no future uses");
  }
}

void FutureUses::hand_out(TaskId task, LocalMemory memory) {
  count(handed_out_, task, memory, 1);
  running_[memory.index()].push_back(task);
}

void FutureUses::finish(TaskId task, LocalMemory memory) {
  std::vector<TaskId>& running = running_[memory.index()];
  auto const found = std::ranges::find(running, task);
  if (found == running.end()) return;
  running.erase(found);
  count(handed_out_, task, memory, -1);
}

LocalReplica FutureUses::least_used(EvictionRequest const& request) const {
  ResidentCopies const& copies = request.copies;
  std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
  LocalReplica best;
  bool any = false;
  for (LocalReplica r = copies.first(); r.valid(); r = copies.next(r)) {
    if (!copies.evictable(r)) continue;
    any = true;
    if (handed_out(r, request.memory) > 0) continue;
    std::int32_t const uses = planned(r, request.memory);
    if (uses == 0) return r;
    if (uses >= fewest) continue;
    fewest = uses;
    best = r;
  }
  return best.valid() || !any || !request.urgent ? best : farthest(request);
}

LocalReplica FutureUses::farthest(EvictionRequest const& request) const {
  ResidentCopies const& copies = request.copies;
  std::size_t latest = 0;
  LocalReplica best;
  for (LocalReplica r = copies.first(); r.valid(); r = copies.next(r)) {
    if (!copies.evictable(r)) continue;
    std::size_t position = 0;  // of the first use, in operands
    bool used = false;
    for (TaskId const task : running(request.memory)) {
      std::size_t const operands = node_.graph().accesses_of(task).size();
      for (std::size_t i = 0; i < operands && !used; ++i, ++position) used = node_.replica(task, i) == r;
      if (used) break;
    }
    if (!used || position <= latest) continue;
    latest = position;
    best = r;
  }
  return best;
}

}  // namespace factosim
