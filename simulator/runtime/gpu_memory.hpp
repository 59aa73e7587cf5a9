#pragma once

#include <cstdint>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// The memory of one GPU as StarPU hands it out (`malloc.c`, `memalloc.c`): tiles up to 4 MiB come from 32
/// MiB chunks cut into pieces of whole 16 KiB blocks, larger ones are allocated one by one; what is given
/// back is kept for tiles of the same size, until a tile of another size finds no memory.
class GpuMemory {
 public:
  explicit GpuMemory(Bytes capacity) : capacity_(capacity) {}

  enum class Grant {
    cached,     // kept memory or a piece of an open chunk: free of charge
    allocated,  // a call to the GPU's allocator was needed
    refused     // full: something must be evicted first
  };
  [[nodiscard]] Grant take(Bytes size);
  void give_back(Bytes size);
  [[nodiscard]] static bool cut_from_chunks(Bytes size);
  [[nodiscard]] static Bytes chunk_size();
  [[nodiscard]] static std::uint64_t pieces_per_chunk(Bytes size);

  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] Bytes allocated() const { return allocated_; }

 private:
  struct Pool {
    Bytes size;
    std::uint64_t free = 0;  // pieces of that size without a tile
  };
  Pool& pool_of(Bytes size);
  /// Returns what is kept of other sizes, and was allocated piece by piece, to the allocator.
  void release_others(Bytes size, Bytes excess);

  Bytes capacity_;
  Bytes allocated_{0};
  std::vector<Pool> pools_;
};

}  // namespace factosim
