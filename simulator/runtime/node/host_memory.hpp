#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "simulator/base/core/priority_fifo.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// A resource that serves one caller at a time, first come, first served.
class SerialServer {
 public:
  /// Returns how long a caller that arrives at `now` waits until its service, which takes `duration`, ends.
  Seconds serve(Seconds duration, Seconds now) {
    FACTOSIM_EXPECT(duration.value >= 0, "a service ends before it begins");
    free_at_ = std::max(free_at_, now) + duration;
    return free_at_ - now;
  }
  /// Returns the remaining time of a service in progress; 0 without one.
  [[nodiscard]] Seconds busy_for(Seconds now) const { return now < free_at_ ? free_at_ - now : Seconds{0}; }

 private:
  Seconds free_at_{0};
};

/// A request for pinned RAM in which a message can be received.
struct BufferRequest {
  std::int32_t priority = 0;
  std::uint32_t id = 0;  // the caller's number for what will be received
  bool early = false;    // for a message that came before its receive was ready
  Bytes size;
};

/// Pinned (page-locked) RAM for the tiles of one node. Pinning takes time in proportion to the size; memory
/// that is given back is kept, and reused at no cost. Only nodes whose GPUs have memory pin it. The options choose
/// between two models of StarPU 1.4 (`malloc.c`, `memalloc.c`, `data_request.c`):
///
/// - Receive buffers (`pinning_cost`): only what messages bring is pinned. A receive requests its buffer, and
///   workers that make transfers progress serve the requests, the most urgent first. Tiles of up to 4 MiB are
///   cut from chunks of 32 MiB, which are pinned one at a time; each larger tile is pinned by itself, several
///   at once. A buffer is reused for tiles of the same size.
/// - All tiles (`host_alloc_cost`, which excludes the first): the worker or the receiving thread that needs
///   memory for a tile pins it; with `allocate_at_submission` for a tile that is received the thread that submits
///   its first reader, and for one received once more the worker that has used its last copy last. Tiles are pinned
///   one at a time, without chunks. Memory is reused for tiles of any size, if `chunk_cache` is set; else it is
///   released. With `pinning_waits_for_kernels` both wait for the kernels in flight on all GPUs of the node. Sources:
///   CUDA C++ Programming Guide, "Implicit Synchronization" (page-locked allocation); PyTorch
///   `ATen/cuda/CachingHostAllocator.h` ("device synchronizations due to cudaFreeHost calls").
class HostMemory {
 public:
  /// `nodes`: of the cluster; one node alone receives nothing. `receives_on_gpus`: messages do not arrive in RAM.
  HostMemory(RuntimeOptions const& options, NodeType const& type, std::size_t nodes, TimeGrid grid = {},
             bool receives_on_gpus = false);

  [[nodiscard]] bool pins_receive_buffers() const { return model_ == Model::receive_buffers; }
  /// Returns whether tiles are pinned when they are needed, by `take`.
  [[nodiscard]] bool on_demand() const { return model_ == Model::on_demand; }
  [[nodiscard]] bool at_submission() const { return model_ == Model::at_submission; }
  /// Returns whether tiles are pinned that tasks create.
  [[nodiscard]] bool pins_tiles() const { return on_demand() || at_submission(); }

  /// Returns the time to pin memory of that size.
  [[nodiscard]] Seconds pinning(Bytes size) const {
    return cost_per_MiB_ * (static_cast<double>(size.value) / (1 << 20));
  }
  /// Takes memory for one tile. Returns how long the caller waits for it, from `now` on.
  [[nodiscard]] Seconds take(Bytes size, Seconds now);
  void give_back(Bytes size, Seconds now);
  /// Each allocation and each release by the driver of the GPUs lasts until the kernels in flight have ended, which is
  /// `kernels_left()` from then on.
  void wait_for_kernels(std::function<Seconds()> kernels_left) { kernels_left_ = std::move(kernels_left); }

  /// Receive buffers: requests wait until a worker takes them.
  using Request = PriorityFifo<BufferRequest>::Item;
  void request(BufferRequest const& request) { requests_.push({request.priority, next_ticket_++, request}); }
  /// Takes up to `count` requests, the most urgent first.
  [[nodiscard]] std::vector<Request> take_requests(std::size_t count);
  /// Returns a request that was taken to its place in the queue.
  void put_back(Request const& request) { requests_.push(request); }

  /// Returns the number of allocations and releases by the driver of the GPUs, and how long those in progress still take.
  [[nodiscard]] std::uint64_t driver_calls() const { return driver_calls_; }
  [[nodiscard]] Seconds pinning_left(Seconds now) const { return pinner_.busy_for(now); }
  /// Returns how long a GPU's driver that starts a transfer waits for them.
  [[nodiscard]] Seconds driver_waits(Seconds now) const {
    return drivers_wait_ ? pinning_left(now) : Seconds{0};
  }

 private:
  enum class Model : std::uint8_t { free, receive_buffers, on_demand, at_submission };
  /// Memory for tiles of one size.
  struct SizePool {
    Bytes size;
    std::uint64_t kept = 0;    // given back
    std::uint64_t pieces = 0;  // of chunks, never used
  };

  [[nodiscard]] static Model model_of(RuntimeOptions const& options, NodeType const& type, std::size_t nodes,
                                      bool receives_on_gpus);
  [[nodiscard]] SizePool& pool_of(Bytes size);
  [[nodiscard]] Seconds take_buffer(Bytes size, Seconds now);
  [[nodiscard]] Seconds take_tile(Bytes size, Seconds now);
  /// The driver of the GPUs is called, for `work` once no kernel is in flight. Returns how long the caller waits.
  Seconds call_driver(Seconds work, Seconds now) {
    ++driver_calls_;
    return pinner_.serve((kernels_left_ ? kernels_left_() : Seconds{0}) + work, now);
  }

  TimeGrid grid_;
  Model model_;
  Seconds cost_per_MiB_{0};
  // Receive buffers
  PriorityFifo<BufferRequest> requests_;
  std::uint32_t next_ticket_ = 0;
  std::vector<SizePool> pools_;
  Seconds chunks_ready_{0};  // when the last chunk is pinned
  // All tiles
  bool keeps_tiles_;
  bool drivers_wait_;
  Bytes kept_;
  SerialServer pinner_;
  std::function<Seconds()> kernels_left_;  // none: calls do not wait for kernels
  std::uint64_t driver_calls_ = 0;
};

}  // namespace factosim
