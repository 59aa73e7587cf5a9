#pragma once

#include <cstdint>

#include "factosim/quantity.hpp"
#include "simulator/runtime/node/gpu_allocation.hpp"
#include "simulator/runtime/node/replica_states.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"

namespace factosim {

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
