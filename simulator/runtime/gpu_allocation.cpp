#include "simulator/runtime/gpu_allocation.hpp"

#include <limits>

namespace factosim {

using Kind = ReplicaStates::Kind;

GpuAllocation::GpuAllocation(NodeType const& type, std::span<Bytes const> sizes,
                             RuntimeOptions const& options, ReplicaStates& states, DataClient& client)
    : sizes_(sizes),
      states_(states),
      client_(client),
      memories_(states.rams(), GpuMemory(Bytes{type.ram.value / static_cast<std::int64_t>(states.rams())},
                                         GpuMemory::Kind::plain)),
      was_full_(states.memory_nodes(), false),
      written_back_(states.memory_nodes()) {
  for (GpuSpec const& gpu : type.gpus) memories_.emplace_back(gpu, options.gpu_memory_fraction);
  if (!type.out_of_core) return;
  Bytes const size = type.disk->size;
  memories_.emplace_back(size.value > 0 ? size : Bytes{std::numeric_limits<std::int64_t>::max() / 2},
                         GpuMemory::Kind::plain);
}

GpuAllocation::Source GpuAllocation::allocate(LocalReplica replica, LocalMemory memory, Urgency urgency) {
  if (states_.allocated(replica, memory)) return Source::kept;
  Source source = Source::kept;
  auto grant = memories_[memory.index()].take(sizes_[replica.index()]);
  while (grant == GpuMemory::Grant::refused) {
    was_full_[memory.index()] = true;
    source = evict_shared(memory, urgency);
    if (source == Source::none) return source;
    grant = memories_[memory.index()].take(sizes_[replica.index()]);
  }
  states_.allocate(replica, memory);
  client_.place_taken(replica, memory);
  return grant == GpuMemory::Grant::allocated ? Source::allocator : source;
}

void GpuAllocation::force(LocalReplica replica, LocalMemory memory) {
  if (allocate(replica, memory, Urgency::fetch) != Source::none) return;
  memories_[memory.index()].take_beyond_capacity(sizes_[replica.index()]);
  states_.allocate(replica, memory);
  client_.place_taken(replica, memory);
}

GpuAllocation::Source GpuAllocation::evict_shared(LocalMemory memory, Urgency urgency) {
  if (urgency == Urgency::idle) return Source::none;
  EvictionOrder& order = states_.order(memory);
  LocalReplica const victim = urgency == Urgency::fetch ? order.first(Kind::shared, Kind::reserved_shared)
                                                        : order.first(Kind::shared);
  if (!victim.valid()) return Source::none;
  memories_[memory.index()].give_back(sizes_[victim.index()]);
  states_.deallocate(victim, memory);
  client_.place_released(victim, memory);
  bool const freed = !states_.is_ram(memory) && written_back_[memory.index()] == victim &&
                     !GpuMemory::cut_from_chunks(sizes_[victim.index()]);
  return freed ? Source::freed : Source::kept;
}

LocalReplica GpuAllocation::to_write_back(LocalMemory memory, Urgency urgency) {
  if (urgency == Urgency::idle) return {};
  EvictionOrder& order = states_.order(memory);
  return urgency == Urgency::fetch ? order.first(Kind::owned, Kind::reserved_owned)
                                   : order.first(Kind::owned);
}

void GpuAllocation::release_all(LocalReplica replica) {
  for (std::size_t m = states_.first_limited(); m < states_.memory_nodes(); ++m) {
    LocalMemory const memory{m};
    if (!states_.allocated(replica, memory)) continue;
    memories_[m].give_back(sizes_[replica.index()]);
    client_.place_released(replica, memory);
  }
}

}  // namespace factosim
