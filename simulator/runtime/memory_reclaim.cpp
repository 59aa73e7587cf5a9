#include "simulator/runtime/memory_reclaim.hpp"

#include <utility>

namespace factosim {

void MemoryReclaim::begin(RequestId request, Seconds now) {
  request_ = request;
  victim_ = {};
  freed_ = Bytes{0};
  attempt_ = 0;
  began_ = now;
}

MemoryReclaim::Progress MemoryReclaim::advance(TransferRequest const& request, GpuAllocation& gpus,
                                               ReplicaStates const& states) {
  LocalMemory const memory = request.to;
  for (;;) {
    if (victim_.valid() && !states.is_only_valid(victim_, memory)) {
      // Unless a task has taken it since it was chosen.
      LocalReplica const evicted = std::exchange(victim_, LocalReplica{});
      if (gpus.evictable(evicted, memory)) {
        freed_ += gpus.size(evicted);
        if (gpus.free(evicted, memory)) return Progress::freed;
      }
    } else if (victim_.valid() && gpus.evictable(victim_, memory)) {
      return Progress::write_back;
    }
    if (freed_ < gpus.size(request.replica) * gpus.copies_freed_at_once(memory)) {
      victim_ = gpus.victim(request.replica, memory, request.urgency);
      if (victim_.valid()) continue;
    }
    // What the last attempt frees is left for later requests.
    source_ = GpuAllocation::Source::none;
    if (++attempt_ == max_attempts) break;
    source_ = gpus.allocate(request.replica, memory, request.urgency);
    if (source_ != GpuAllocation::Source::none || freed_ == Bytes{0}) break;
    freed_ = Bytes{0};
  }
  request_ = {};
  return source_ != GpuAllocation::Source::none ? Progress::allocated : Progress::failed;
}

}  // namespace factosim
