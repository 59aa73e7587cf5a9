#include "simulator/runtime/gpu_memory.hpp"

#include <algorithm>

namespace factosim {

namespace {

constexpr Bytes block{16 << 10};
constexpr Bytes chunk{32 << 20};
constexpr Bytes largest_piece{4 << 20};

}  // namespace

GpuMemory::Pool& GpuMemory::pool_of(Bytes size) {
  for (Pool& pool : pools_)
    if (pool.size == size) return pool;
  return pools_.emplace_back(Pool{size});
}

Bytes GpuMemory::chunk_size() { return chunk; }

std::uint64_t GpuMemory::pieces_per_chunk(Bytes size) {
  std::int64_t const blocks = std::max<std::int64_t>(1, (size.value + block.value - 1) / block.value);
  return static_cast<std::uint64_t>(chunk.value / block.value / blocks);
}

bool GpuMemory::cut_from_chunks(Bytes size) { return size <= largest_piece; }

GpuMemory::Grant GpuMemory::take(Bytes size) {
  if (kind_ == Kind::plain) {
    if (allocated_ + size > capacity_) return Grant::refused;
    allocated_ += size;
    return Grant::cached;
  }
  Pool& pool = pool_of(size);
  if (pool.free > 0) {
    --pool.free;
    return Grant::cached;
  }
  bool const cut = cut_from_chunks(size);
  Bytes const needed = cut ? chunk : size;
  if (allocated_ + needed > capacity_) release_others(size, allocated_ + needed - capacity_);
  if (allocated_ + needed > capacity_) return Grant::refused;
  allocated_ += needed;
  if (cut) pool.free += pieces_per_chunk(size) - 1;
  return Grant::allocated;
}

void GpuMemory::release_others(Bytes size, Bytes excess) {
  for (Pool& pool : pools_) {
    if (pool.size == size || cut_from_chunks(pool.size)) continue;
    while (pool.free > 0 && excess.value > 0) {
      --pool.free;
      allocated_ -= pool.size;
      excess -= pool.size;
    }
  }
}

void GpuMemory::free(Bytes size) {
  if (kind_ == Kind::plain || cut_from_chunks(size))
    give_back(size);
  else
    allocated_ -= size;
}

Bytes GpuMemory::available() const {
  Bytes out = capacity_ - allocated_;
  for (Pool const& pool : pools_)
    if (!cut_from_chunks(pool.size)) out += pool.size * static_cast<std::int64_t>(pool.free);
  return out;
}

void GpuMemory::give_back(Bytes size) {
  if (kind_ == Kind::plain)
    allocated_ -= size;
  else
    ++pool_of(size).free;
}

}  // namespace factosim
