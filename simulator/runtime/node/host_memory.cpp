#include "simulator/runtime/node/host_memory.hpp"

#include "simulator/runtime/node/gpu_memory.hpp"

namespace factosim {

HostMemory::HostMemory(RuntimeOptions const& options, NodeType const& type, std::size_t nodes, TimeGrid grid,
                       bool receives_on_gpus)
    : grid_(grid),
      model_(model_of(options, type, nodes, receives_on_gpus)),
      keeps_tiles_(options.chunk_cache),
      drivers_wait_(options.gpus_wait_for_pinning && (on_demand() || at_submission())),
      kept_{static_cast<std::int64_t>(options.preallocated_ram * static_cast<double>(type.ram.value))} {
  if (model_ == Model::receive_buffers)
    cost_per_MiB_ = options.pinning_cost;
  else if (model_ != Model::free)
    cost_per_MiB_ = options.host_alloc_cost;
}

HostMemory::Model HostMemory::model_of(RuntimeOptions const& options, NodeType const& type, std::size_t nodes,
                                       bool receives_on_gpus) {
  if (type.gpu_memory_count() == 0) return Model::free;
  if (options.host_alloc_cost.value > 0)
    return options.allocate_at_submission ? Model::at_submission : Model::on_demand;
  return nodes > 1 && options.pinning_cost.value > 0 && !receives_on_gpus ? Model::receive_buffers
                                                                          : Model::free;
}

Seconds HostMemory::take(Bytes size, Seconds now) {
  return pins_receive_buffers() ? take_buffer(size, now) : take_tile(size, now);
}

Seconds HostMemory::take_tile(Bytes size, Seconds now) {
  if (kept_ < size) return call_driver(pinning(size), now);
  kept_ -= size;
  return Seconds{0};
}

Seconds HostMemory::take_buffer(Bytes size, Seconds now) {
  SizePool& pool = pool_of(size);
  if (pool.kept > 0) {
    --pool.kept;
    return Seconds{0};
  }
  if (!GpuMemory::cut_from_chunks(size)) return pinning(size);
  // Callers are served in order: one that finds a free piece still waits for the chunk that is being pinned.
  Seconds const turn = std::max(chunks_ready_, now);
  if (pool.pieces > 0) {
    --pool.pieces;
  } else {
    pool.pieces = GpuMemory::pieces_per_chunk(size) - 1;
    chunks_ready_ = grid_.after(turn, pinning(GpuMemory::chunk_size()));
  }
  return std::max(chunks_ready_, now) - now;
}

void HostMemory::give_back(Bytes size, Seconds now) {
  if (pins_receive_buffers())
    ++pool_of(size).kept;
  else if (keeps_tiles_)
    kept_ += size;
  else if (kernels_left_)
    call_driver(Seconds{0}, now);
}

HostMemory::SizePool& HostMemory::pool_of(Bytes size) {
  for (SizePool& pool : pools_)
    if (pool.size == size) return pool;
  return pools_.emplace_back(SizePool{.size = size});
}

std::vector<HostMemory::Request> HostMemory::take_requests(std::size_t count) {
  std::vector<Request> taken;
  while (taken.size() < count && !requests_.empty()) taken.push_back(requests_.pop());
  return taken;
}

}  // namespace factosim
