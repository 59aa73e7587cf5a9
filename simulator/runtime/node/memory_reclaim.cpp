#include "simulator/runtime/node/memory_reclaim.hpp"

#include <utility>

namespace factosim {

void MemoryReclaim::begin(RequestId id, TransferRequest const& request, GpuAllocation const& gpus) {
  active_ = true;
  request_ = id;
  replica_ = request.replica;
  memory_ = request.to;
  urgency_ = request.urgency;
  wanted_ = gpus.size(request.replica) * gpus.copies_freed_at_once(request.to);
  victim_ = {};
  freed_ = Bytes{0};
  attempt_ = 0;
}

MemoryReclaim::Progress MemoryReclaim::advance(GpuAllocation& gpus, ReplicaStates const& states) {
  for (;;) {
    if (victim_.valid() && !states.is_only_valid(victim_, memory_)) {
      // Unless a task has taken it since it was chosen.
      LocalReplica const evicted = std::exchange(victim_, LocalReplica{});
      if (gpus.evictable(evicted, memory_)) {
        freed_ += gpus.size(evicted);
        if (gpus.free(evicted, memory_)) return Progress::freed;
      }
    } else if (victim_.valid() && gpus.evictable(victim_, memory_)) {
      return Progress::write_back;
    }
    if (freed_ < wanted_) {
      victim_ = gpus.victim(replica_, memory_, urgency_);
      if (victim_.valid()) continue;
    }
    // What the last attempt frees is left for later requests.
    source_ = GpuAllocation::Source::none;
    if (++attempt_ == max_attempts) break;
    source_ = gpus.allocate(replica_, memory_, urgency_);
    if (source_ != GpuAllocation::Source::none) break;
    freed_ = Bytes{0};
  }
  active_ = false;
  return source_ != GpuAllocation::Source::none ? Progress::allocated : Progress::ended;
}

}  // namespace factosim
