#pragma once

#include <vector>

#include "simulator/plan/options.hpp"
#include "simulator/runtime/gpu_allocation.hpp"
#include "simulator/runtime/replica_states.hpp"

namespace factosim {

/// Evicts copies from a GPU before their memory is needed: once less than a share of it is free, the least recently used
/// ones that no task or transfer uses and no task sent there waits for, until a larger share is free. A copy that is
/// the only valid one is written back before, one at a time. Small tiles are pieces of chunks, which stay allocated: once
/// little is free, they are evicted in each round of the driver, as in StarPU.
/// Source: StarPU `memalloc.c` (starpu_memchunk_tidy, STARPU_MINIMUM_AVAILABLE_MEM, STARPU_TARGET_AVAILABLE_MEM), whose
/// driver waits for the write-backs.
class ProactiveEviction {
 public:
  /// The references must outlive this.
  ProactiveEviction(RuntimeOptions const& options, ReplicaStates& states, GpuAllocation& gpus);

  [[nodiscard]] bool on() const { return min_free_ > 0; }
  /// What the driver of a GPU does next.
  struct Step {
    LocalReplica evict{};       // at once
    LocalReplica write_back{};  // first
  };
  [[nodiscard]] Step next(LocalMemory memory);
  /// The copy is evicted.
  void evicted(LocalMemory memory, Bytes size) { to_free_[memory.index()] -= size; }
  /// A copy from the GPU to RAM has ended.
  void left(LocalReplica replica, LocalMemory memory) {
    if (writing_[memory.index()] == replica) writing_[memory.index()] = {};
  }

 private:
  double min_free_, target_free_;
  ReplicaStates& states_;
  GpuAllocation& gpus_;
  std::vector<Bytes> to_free_;         // [memory nodes]
  std::vector<LocalReplica> writing_;  // [memory nodes]
};

}  // namespace factosim
