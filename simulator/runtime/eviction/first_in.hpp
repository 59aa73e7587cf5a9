#pragma once

#include <cstdint>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/growing_array.hpp"

namespace factosim {

/// First in, first out: evicts the evictable copy whose memory was allocated first, whether it was used since or not.
/// O(copies) each.
class FirstIn final : public EvictionPolicy {
 public:
  FirstIn(NodeView const& node, Scheduler const& scheduler);

  Victim victim(EvictionRequest const& request) override;
  void allocated(LocalReplica replica, LocalMemory memory) override {
    allocation_.at(replica.index() * memories_ + memory.index()) = ++allocations_;
  }

 private:
  std::size_t memories_;
  GrowingArray<std::uint64_t> allocation_;  // [replicas][memory nodes] number of the copy's allocation
  std::uint64_t allocations_ = 0;
};

}  // namespace factosim
