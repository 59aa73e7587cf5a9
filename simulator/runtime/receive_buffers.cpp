#include "simulator/runtime/receive_buffers.hpp"

#include <algorithm>

#include "simulator/runtime/gpu_memory.hpp"

namespace factosim {

namespace {

bool later(ReceiveBuffers::Wish const& a, ReceiveBuffers::Wish const& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.ticket > b.ticket;
}

}  // namespace

void ReceiveBuffers::push(Wish const& wish) {
  wishes_.push_back(wish);
  std::push_heap(wishes_.begin(), wishes_.end(), later);
}

void ReceiveBuffers::want(Wish wish) {
  wish.ticket = next_ticket_++;
  push(wish);
}

std::vector<ReceiveBuffers::Wish> ReceiveBuffers::take(std::size_t count) {
  std::vector<Wish> taken;
  while (taken.size() < count && !wishes_.empty()) {
    std::pop_heap(wishes_.begin(), wishes_.end(), later);
    taken.push_back(wishes_.back());
    wishes_.pop_back();
  }
  return taken;
}

ReceiveBuffers::Pool& ReceiveBuffers::pool_of(Bytes size) {
  for (Pool& pool : pools_)
    if (pool.size == size) return pool;
  return pools_.emplace_back(Pool{.size = size});
}

Seconds ReceiveBuffers::cost(Bytes size) const {
  return cost_per_MiB_ * (static_cast<double>(size.value) / (1 << 20));
}

std::optional<Seconds> ReceiveBuffers::allocate(std::uint32_t worker, Bytes size) {
  Pool& pool = pool_of(size);
  if (pool.kept > 0) {
    --pool.kept;
    return Seconds{0};
  }
  if (!GpuMemory::cut_from_chunks(size)) return cost(size);
  if (holder_.worker == nobody) return serve({worker, size});
  waiting_.push_back({worker, size});
  return std::nullopt;
}

/// A piece of a chunk that is there, or the beginning of a new one.
Seconds ReceiveBuffers::serve(Waiting waiting) {
  Pool& pool = pool_of(waiting.size);
  if (pool.pieces > 0) {
    --pool.pieces;
    return Seconds{0};
  }
  holder_ = waiting;
  return cost(GpuMemory::chunk_size());
}

std::vector<ReceiveBuffers::Resumed> ReceiveBuffers::finish(std::uint32_t worker) {
  std::vector<Resumed> resumed;
  if (holder_.worker != worker) return resumed;
  pool_of(holder_.size).pieces += GpuMemory::pieces_per_chunk(holder_.size) - 1;
  holder_.worker = nobody;
  while (!waiting_.empty() && holder_.worker == nobody) {
    resumed.push_back({waiting_.front().worker, serve(waiting_.front())});
    waiting_.pop_front();
  }
  return resumed;
}

}  // namespace factosim
