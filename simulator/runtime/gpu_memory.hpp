#pragma once

#include <cstdint>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// The memory of one GPU as StarPU allocates it (`malloc.c`, `memalloc.c`): tiles of up to 4 MiB come from
/// chunks of 32 MiB, cut into pieces of whole 16 KiB blocks; larger tiles are allocated one by one. Memory
/// that is given back is kept for tiles of the same size until a tile of another size finds no memory. RAM and
/// disks (`Kind::plain`) are allocated tile by tile, and nothing is kept.
class GpuMemory {
 public:
  enum class Kind { gpu, plain };
  explicit GpuMemory(Bytes capacity, Kind kind = Kind::gpu) : kind_(kind), capacity_(capacity) {}
  /// The fraction of the GPU's memory that tiles may use.
  GpuMemory(GpuSpec const& gpu, double fraction)
      : GpuMemory(Bytes{static_cast<std::int64_t>(static_cast<double>(gpu.memory.value) * fraction)}) {}

  enum class Grant {
    cached,     // kept memory or a piece of an open chunk, at no cost
    allocated,  // the GPU's allocator was called
    refused     // no memory is left: a copy must be evicted first
  };
  [[nodiscard]] Grant take(Bytes size);
  /// Allocates plain memory even above the capacity.
  void take_beyond_capacity(Bytes size) { allocated_ += size; }
  void give_back(Bytes size);
  /// Gives memory back to the GPU's allocator; a piece of a chunk goes back to its chunk.
  void free(Bytes size);
  [[nodiscard]] static bool cut_from_chunks(Bytes size);
  [[nodiscard]] static Bytes chunk_size();
  [[nodiscard]] static std::uint64_t pieces_per_chunk(Bytes size);

  [[nodiscard]] Bytes allocated() const { return allocated_; }
  [[nodiscard]] Bytes capacity() const { return capacity_; }
  /// Returns the memory that neither tiles nor chunks take. As in StarPU, pieces that hold no tile do not count.
  [[nodiscard]] Bytes available() const;

 private:
  struct Pool {
    Bytes size;
    std::uint64_t free = 0;  // pieces of that size that hold no tile
  };
  Pool& pool_of(Bytes size);
  /// Returns up to `excess` bytes of kept memory of other sizes to the allocator; chunks are never returned.
  void release_others(Bytes size, Bytes excess);

  Kind kind_ = Kind::gpu;
  Bytes capacity_;
  Bytes allocated_{0};
  std::vector<Pool> pools_;
};

}  // namespace factosim
