#pragma once

#include <cstdint>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "simulator/runtime/node/data_client.hpp"
#include "simulator/runtime/node/gpu_memory.hpp"
#include "simulator/runtime/node/replica_states.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// Allocates limited memory for copies of the replicas of one node, and evicts other copies to make room: GPU
/// memory, and out of core RAM and the disk.
/// Source: StarPU 1.4 `memalloc.c`.
class GpuAllocation {
 public:
  /// Source of the memory for a copy.
  enum class Source : std::uint8_t {
    kept,       // memory given back, or taken from an evicted copy
    allocator,  // the GPU's allocator
    freed,      // memory given back to the GPU and allocated anew, after a write-back
    none        // there is no memory yet
  };

  /// `sizes`: of the node's replicas. `eviction` chooses the copies to evict; null: EvictionOrder does. All references
  /// must outlive this.
  GpuAllocation(NodeType const& type, std::vector<Bytes> const& sizes, RuntimeOptions const& options,
                ReplicaStates& states, EvictionPolicy* eviction, DataClient& client);

  /// Allocates memory for a copy if it has none, or takes that of a copy that is valid elsewhere; idle copies evict no
  /// others.
  Source allocate(LocalReplica replica, LocalMemory memory, Urgency urgency);
  /// The same, without evicting any copy.
  Source allocate_unused(LocalReplica replica, LocalMemory memory);
  /// Returns whether the driver of that memory makes room by MemoryReclaim where `allocate` finds none: for GPUs, until
  /// the RAM that copies are written back to has been full itself.
  [[nodiscard]] bool reclaims(LocalMemory memory) const {
    return !states_.is_ram(memory) && !(states_.has_disk() && was_full_[first_ram.index()]);
  }
  /// The first copy that may be evicted there for a request, which may have to be written back before; an invalid id if all
  /// are in use.
  [[nodiscard]] LocalReplica victim(LocalReplica wanted, LocalMemory memory, Urgency urgency);
  /// Returns whether no request, task or copy in progress needs the copy.
  [[nodiscard]] bool evictable(LocalReplica replica, LocalMemory memory) const {
    return states_.kind(replica, memory) != ReplicaStates::Kind::in_use;
  }
  /// Gives the memory of a copy back to the GPU's allocator. Returns whether that takes time.
  bool free(LocalReplica replica, LocalMemory memory);
  /// Returns how many copies are freed at once to make room. Source: memalloc.c, starpu_memstrategy_data_size_coefficient.
  [[nodiscard]] int copies_freed_at_once(LocalMemory memory) const { return asks_policy(memory) ? 1 : 2; }
  [[nodiscard]] Bytes size(LocalReplica replica) const { return sizes_[replica.index()]; }
  /// Allocates RAM for a copy that is there already, above the limit if nothing can be evicted.
  void force(LocalReplica replica, LocalMemory memory);
  /// Returns whether a copy has found no room in that memory yet.
  [[nodiscard]] bool was_full(LocalMemory memory) const { return was_full_[memory.index()]; }
  /// The copy to write back so that `allocate` can evict it; an invalid id if all are in use.
  [[nodiscard]] LocalReplica to_write_back(LocalMemory memory, Urgency urgency);
  /// From now on chunks of GPU memory are only used where they are no loss. Returns whether that is new.
  bool spare_chunks() {
    bool changed = false;
    for (GpuMemory& memory : memories_) changed = memory.spare_chunks() || changed;
    return changed;
  }
  /// Gives the memory of all copies of the replica back.
  void release_all(LocalReplica replica);

  /// The number of a replica that has been forgotten stands for another one.
  void replaced(LocalReplica replica);

  /// The copy is being written back to make room.
  void writes_back(LocalReplica replica, LocalMemory memory) {
    written_back_[memory.index()] = replica;
    writing_back_[memory.index()] = true;
  }
  /// A copy to RAM has ended.
  void left(LocalReplica replica, LocalMemory memory) {
    if (written_back_[memory.index()] == replica) writing_back_[memory.index()] = false;
  }
  /// A copy to that memory starts: copies evicted from now on were not written back for it.
  void copy_starts(LocalMemory memory) { written_back_[memory.index()] = {}; }

 private:
  /// Returns whether the policy chooses the copies to evict there; elsewhere EvictionOrder does.
  [[nodiscard]] bool asks_policy(LocalMemory memory) const {
    return eviction_ != nullptr && !states_.is_ram(memory) && !states_.is_disk(memory);
  }
  /// Asks the policy for a victim, unless the one it chose before may still leave.
  void decide(LocalReplica wanted, LocalMemory memory, Urgency urgency);
  /// The copy has memory now.
  void give(LocalReplica replica, LocalMemory memory);
  Source evict_shared(LocalReplica wanted, LocalMemory memory, Urgency urgency);
  /// Returns the shared copy to evict, by the policy or by the list; an invalid id without one.
  [[nodiscard]] LocalReplica shared_victim(LocalReplica wanted, LocalMemory memory, Urgency urgency);

  std::vector<Bytes> const& sizes_;
  ReplicaStates& states_;
  EvictionPolicy* eviction_;
  DataClient& client_;
  /// Where the copy lies that was cut from a chunk.
  [[nodiscard]] GpuMemory::Piece& piece(LocalReplica replica, LocalMemory memory);
  /// Takes memory for the copy.
  [[nodiscard]] GpuMemory::Grant take(LocalReplica replica, LocalMemory memory) {
    return memories_[memory.index()].take(sizes_[replica.index()], piece(replica, memory));
  }

  std::vector<GpuMemory> memories_;  // [memory nodes]; those that are not limited are not used
  std::vector<std::vector<GpuMemory::Piece>> pieces_;  // [memory nodes][replicas up to the last cut one]
  GpuMemory::Piece no_piece_;                          // of all copies that are not cut
  std::vector<bool> was_full_;                         // [memory nodes]
  std::vector<LocalReplica> written_back_;      // [memory nodes] the last copy written back to make room
  std::vector<bool> writing_back_;              // [memory nodes] that copy has not reached RAM
  std::vector<EvictionPolicy::Victim> chosen_;  // [memory nodes] by the policy, not evicted yet
};

/// Makes room in the memory of one GPU for the copy of one request, when no copy can be dropped: evicts the
/// first copies that may be, one after the other, until twice the wanted size is free (or the one that a policy
/// chooses), and tries again up to three times. A copy that is valid nowhere else is
/// written back first; the GPU's driver waits for that and meanwhile only makes transfers progress, without allocating. Source:
/// StarPU 1.4 `memalloc.c` (_starpu_allocate_interface, _starpu_memory_reclaim_generic, try_to_throw_mem_chunk).
class MemoryReclaim {
 public:
  enum class Progress : std::uint8_t {
    write_back,  // `victim` must be written back to RAM
    freed,       // memory was given back to the GPU's allocator, which takes the driver time
    allocated,   // there is memory for the copy
    ended        // there is nothing left to evict
  };

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] RequestId request() const { return request_; }
  [[nodiscard]] LocalReplica victim() const { return victim_; }
  [[nodiscard]] GpuAllocation::Source source() const { return source_; }
  /// The request that writes the victim back; invalid once it has ended.
  [[nodiscard]] RequestId& write_back() { return write_back_; }

  void begin(RequestId id, TransferRequest const& request, GpuAllocation const& gpus);
  /// Goes on with the active reclaim, when no write-back is in progress; ends it with the last two results.
  Progress advance(GpuAllocation& gpus, ReplicaStates const& states);

 private:
  static constexpr int max_attempts = 3;

  bool active_ = false;
  RequestId request_{};
  LocalReplica replica_{};
  LocalMemory memory_{};
  Urgency urgency_ = Urgency::fetch;  // of the request when it began
  Bytes wanted_{0};
  RequestId write_back_{};
  LocalReplica victim_{};
  GpuAllocation::Source source_ = GpuAllocation::Source::none;
  Bytes freed_{0};
  int attempt_ = 0;
};

}  // namespace factosim
