#include "simulator/runtime/node/gpu_memory.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

std::optional<MemoryChunks::Piece> MemoryChunks::take(int blocks) {
  if (blocks >= refused_) return std::nullopt;
  for (std::size_t i = order_.size(); i-- > 0;) {
    std::uint16_t const number = order_[i];
    Chunk& chunk = chunks_[number];
    if (chunk.largest < blocks) continue;
    auto const fits = std::ranges::find_if(chunk.free, [&](Segment const& s) { return s.length >= blocks; });
    if (fits == chunk.free.end()) {
      chunk.largest = 0;
      for (Segment const& s : chunk.free) chunk.largest = std::max(chunk.largest, s.length);
      continue;
    }
    auto const segment = static_cast<std::size_t>(fits - chunk.free.begin());
    if (fits->length >= 2 * blocks) move_to_front(number);
    if (chunk.available == blocks_) --empty_;
    return cut(number, segment, blocks);
  }
  refused_ = blocks;
  return std::nullopt;
}

MemoryChunks::Piece MemoryChunks::take_from_new(int blocks) {
  std::uint16_t number = 0;
  if (unused_.empty()) {
    FACTOSIM_ALWAYS(chunks_.size() < std::numeric_limits<std::uint16_t>::max(), "too many chunks of memory");
    number = static_cast<std::uint16_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  chunks_[number].free = {{0, blocks_}};
  chunks_[number].largest = chunks_[number].available = blocks_;
  order_.push_back(number);
  refused_ = std::numeric_limits<int>::max();
  return cut(number, 0, blocks);
}

MemoryChunks::Piece MemoryChunks::cut(std::uint16_t number, std::size_t segment, int blocks) {
  Chunk& chunk = chunks_[number];
  Segment& from = chunk.free[segment];
  Piece const piece{.chunk = number, .block = static_cast<std::uint16_t>(from.begin)};
  from.begin += blocks;
  from.length -= blocks;
  if (from.length == 0) chunk.free.erase(chunk.free.begin() + static_cast<std::ptrdiff_t>(segment));
  chunk.available -= blocks;
  return piece;
}

bool MemoryChunks::give_back(Piece piece, int blocks) {
  Chunk& chunk = chunks_[piece.chunk];
  int const begin = piece.block;
  chunk.available += blocks;
  auto here = std::ranges::lower_bound(chunk.free, begin, {}, &Segment::begin);
  here = chunk.free.insert(here, {begin, blocks});
  if (auto const next = here + 1; next != chunk.free.end() && next->begin == begin + blocks) {
    here->length += next->length;
    chunk.largest = std::max(chunk.largest, here->length);
    here = chunk.free.erase(next) - 1;
  }
  if (here != chunk.free.begin() && (here - 1)->begin + (here - 1)->length == begin) {
    (here - 1)->length += here->length;
    chunk.largest = std::max(chunk.largest, (here - 1)->length);
    chunk.free.erase(here);
  }
  refused_ = std::numeric_limits<int>::max();
  if (chunk.available < blocks_) {
    move_to_front(piece.chunk);
    return false;
  }
  if (empty_ < empty_kept) {
    ++empty_;
    return false;
  }
  std::erase(order_, piece.chunk);
  unused_.push_back(piece.chunk);
  return true;
}

void MemoryChunks::move_to_front(std::uint16_t chunk) {
  auto const place = std::ranges::find(order_, chunk);
  std::rotate(place, place + 1, order_.end());
}

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
  if (cut_from_chunks(size) && !spares_chunks_) {
    auto found = chunks_.take(blocks_of(size));
    Grant const grant = found ? Grant::cached : Grant::allocated;
    if (!found && allocated_ + chunk > capacity_) return Grant::refused;
    if (!found) {
      allocated_ += chunk;
      found = chunks_.take_from_new(blocks_of(size));
    }
    in_pieces_ += size;
    piece = *found;
    return grant;
  }
  if (allocated_ + size > capacity_) return Grant::refused;
  allocated_ += size;
  return Grant::allocated;
}

bool GpuMemory::spare_chunks() {
  if (kind_ == Kind::plain || spares_chunks_) return false;
  free_kept(capacity_);
  spares_chunks_ = true;
  allocated_ = allocated_ - chunk * static_cast<std::int64_t>(chunks_.count()) + in_pieces_;
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
  if (kind_ == Kind::plain || !cut_from_chunks(size) || spares_chunks_) {
    FACTOSIM_EXPECT(allocated_ >= size, "more memory is freed than was allocated");
    allocated_ -= size;
    return kind_ == Kind::gpu;
  }
  in_pieces_ -= size;
  bool const chunk_freed = chunks_.give_back(piece, blocks_of(size));
  FACTOSIM_ENSURE(!chunk_freed || allocated_ >= chunk, "a chunk is freed that was not allocated");
  if (chunk_freed) allocated_ -= chunk;
  return chunk_freed;
}

void GpuMemory::give_back(Bytes size, Piece piece) {
  FACTOSIM_EXPECT(allocated_ >= size, "more memory is given back than was taken");
  if (kind_ == Kind::plain)
    allocated_ -= size;
  else
    pool_of(size).kept.push_back(piece);
}

}  // namespace factosim
