#include "simulator/runtime/node/gpu_memory.hpp"

#include <algorithm>
#include <utility>

namespace factosim {

namespace {

constexpr Bytes block{16 << 10};
constexpr Bytes chunk{32 << 20};
constexpr Bytes largest_piece{4 << 20};

int blocks_of(Bytes size) {
  return static_cast<int>(std::max<std::int64_t>(1, (size.value + block.value - 1) / block.value));
}

}  // namespace

GpuMemory::GpuMemory(Bytes capacity, Kind kind)
    : kind_(kind), capacity_(capacity), chunks_(blocks_of(chunk)) {}

GpuMemory::Pool& GpuMemory::pool_of(Bytes size) {
  for (Pool& pool : pools_)
    if (pool.size == size) return pool;
  return pools_.emplace_back(Pool{.size = size, .kept = {}});
}

Bytes GpuMemory::chunk_size() { return chunk; }

std::uint64_t GpuMemory::pieces_per_chunk(Bytes size) {
  return static_cast<std::uint64_t>(blocks_of(chunk) / blocks_of(size));
}

bool GpuMemory::cut_from_chunks(Bytes size) { return size <= largest_piece; }

GpuMemory::Grant GpuMemory::take(Bytes size, Piece& piece) {
  if (kind_ == Kind::plain) {
    if (allocated_ + size > capacity_) return Grant::refused;
    allocated_ += size;
    return Grant::cached;
  }
  if (Pool& pool = pool_of(size); !pool.kept.empty()) {
    piece = pool.kept.back();
    pool.kept.pop_back();
    return Grant::cached;
  }
  Grant const grant = allocate(size, piece);
  return grant == Grant::refused && free_kept(size * 2) ? allocate(size, piece) : grant;
}

GpuMemory::Grant GpuMemory::allocate(Bytes size, Piece& piece) {
  bool const cut = cut_from_chunks(size);
  if (cut)
    if (auto const found = chunks_.take(blocks_of(size))) {
      piece = *found;
      return Grant::cached;
    }
  if (cut && allocated_ + chunk <= capacity_) {
    allocated_ += chunk;
    piece = chunks_.take_from_new(blocks_of(size));
    return Grant::allocated;
  }
  if ((cut && !spares_chunks_) || allocated_ + size > capacity_) return Grant::refused;
  allocated_ += size;
  piece.chunk = Piece::no_chunk;
  return Grant::allocated;
}

bool GpuMemory::spare_chunks() {
  if (kind_ == Kind::plain || std::exchange(spares_chunks_, true)) return false;
  free_kept(capacity_);
  allocated_ -= chunk * chunks_.keep_none();
  return true;
}

bool GpuMemory::free_kept(Bytes wanted) {
  Bytes freed{0};
  for (Pool& pool : pools_)
    while (!pool.kept.empty() && freed < wanted) {
      free(pool.size, pool.kept.back());
      pool.kept.pop_back();
      freed += pool.size;
    }
  return freed.value > 0;
}

bool GpuMemory::free(Bytes size, Piece piece) {
  if (kind_ == Kind::plain || !cut_from_chunks(size) || piece.chunk == Piece::no_chunk) {
    allocated_ -= size;
    return kind_ == Kind::gpu;
  }
  bool const chunk_freed = chunks_.give_back(piece, blocks_of(size));
  if (chunk_freed) allocated_ -= chunk;
  return chunk_freed;
}

void GpuMemory::give_back(Bytes size, Piece piece) {
  if (kind_ == Kind::plain)
    allocated_ -= size;
  else
    pool_of(size).kept.push_back(piece);
}

}  // namespace factosim
