#include "simulator/runtime/node/memory_chunks.hpp"

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
    FACTOSIM_ALWAYS(chunks_.size() < Piece::no_chunk, "too many chunks of memory");
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
  if (empty_ < empty_kept_) {
    ++empty_;
    return false;
  }
  std::erase(order_, piece.chunk);
  unused_.push_back(piece.chunk);
  return true;
}

int MemoryChunks::keep_none() {
  empty_kept_ = 0;
  for (std::uint16_t const number : order_)
    if (chunks_[number].available == blocks_) unused_.push_back(number);
  std::erase_if(order_, [this](std::uint16_t number) { return chunks_[number].available == blocks_; });
  return std::exchange(empty_, 0);
}

void MemoryChunks::move_to_front(std::uint16_t chunk) {
  auto const place = std::ranges::find(order_, chunk);
  std::rotate(place, place + 1, order_.end());
}

}  // namespace factosim
