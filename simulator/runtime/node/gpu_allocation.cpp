#include "simulator/runtime/node/gpu_allocation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

using Kind = ReplicaStates::Kind;

namespace {

bool may_leave(Kind kind, Urgency urgency) {
  if (urgency == Urgency::fetch) return kind != Kind::in_use;
  return kind == Kind::shared || kind == Kind::owned;
}

/// The list of one GPU's copies as an eviction policy sees it.
class Resident final : public ResidentCopies {
 public:
  Resident(EvictionOrder const& order, Urgency urgency) : order_(order), urgency_(urgency) {}
  [[nodiscard]] LocalReplica first() const override { return order_.first(); }
  [[nodiscard]] LocalReplica next(LocalReplica copy) const override { return order_.next(copy); }
  [[nodiscard]] bool evictable(LocalReplica copy) const override {
    return may_leave(order_.kind(copy), urgency_);
  }

 private:
  EvictionOrder const& order_;
  Urgency urgency_;
};

}  // namespace

GpuAllocation::GpuAllocation(NodeType const& type, std::vector<Bytes> const& sizes,
                             RuntimeOptions const& options, ReplicaStates& states, EvictionPolicy* eviction,
                             DataClient& client)
    : sizes_(sizes),
      states_(states),
      eviction_(eviction),
      client_(client),
      memories_(states.rams(), GpuMemory(Bytes{type.ram.value / static_cast<std::int64_t>(states.rams())},
                                         GpuMemory::Kind::plain)),
      pieces_(states.memory_nodes()),
      was_full_(states.memory_nodes(), false),
      written_back_(states.memory_nodes()),
      writing_back_(states.memory_nodes(), false),
      chosen_(states.memory_nodes(), EvictionPolicy::none()) {
  for (std::size_t g = 0; g < type.gpu_memory_count(); ++g)
    memories_.emplace_back(type.gpus[g], options.gpu_memory_fraction);
  if (!type.out_of_core) return;
  Bytes const size = type.disk->size;
  memories_.emplace_back(size.value > 0 ? size : Bytes{std::numeric_limits<std::int64_t>::max() / 2},
                         GpuMemory::Kind::plain);
}

GpuMemory::Piece& GpuAllocation::piece(LocalReplica replica, LocalMemory memory) {
  if (states_.is_ram(memory) || states_.is_disk(memory) ||
      !GpuMemory::cut_from_chunks(sizes_[replica.index()]))
    return no_piece_;
  auto& pieces = pieces_[memory.index()];
  if (replica.index() >= pieces.size()) pieces.resize(std::max(replica.index() + 1, states_.replicas()));
  return pieces[replica.index()];
}

GpuAllocation::Source GpuAllocation::allocate(LocalReplica replica, LocalMemory memory, Urgency urgency) {
  if (states_.allocated(replica, memory)) return Source::kept;
  Source source = Source::kept;
  auto grant = take(replica, memory);
  while (grant == GpuMemory::Grant::refused) {
    was_full_[memory.index()] = true;
    if (reclaims(memory)) states_.memory_is_short();
    source = evict_shared(replica, memory, urgency);
    if (source == Source::none) return source;
    grant = take(replica, memory);
  }
  give(replica, memory);
  return grant == GpuMemory::Grant::allocated ? Source::allocator : source;
}

GpuAllocation::Source GpuAllocation::allocate_unused(LocalReplica replica, LocalMemory memory) {
  auto const grant = take(replica, memory);
  if (grant == GpuMemory::Grant::refused) return Source::none;
  give(replica, memory);
  return grant == GpuMemory::Grant::allocated ? Source::allocator : Source::kept;
}

void GpuAllocation::give(LocalReplica replica, LocalMemory memory) {
  states_.allocate(replica, memory);
  if (asks_policy(memory)) eviction_->allocated(replica, memory);
  client_.place_taken(replica, memory);
}

void GpuAllocation::force(LocalReplica replica, LocalMemory memory) {
  if (allocate(replica, memory, Urgency::fetch) != Source::none) return;
  memories_[memory.index()].take_beyond_capacity(sizes_[replica.index()]);
  states_.allocate(replica, memory);
  client_.place_taken(replica, memory);
}

void GpuAllocation::decide(LocalReplica wanted, LocalMemory memory, Urgency urgency) {
  EvictionOrder const& order = states_.order(memory);
  EvictionPolicy::Victim& victim = chosen_[memory.index()];
  if (victim.copy.valid() && order.contains(victim.copy) && may_leave(order.kind(victim.copy), urgency))
    return;
  victim = eviction_->victim({.memory = memory,
                              .wanted = wanted,
                              .urgent = urgency == Urgency::fetch,
                              .copies = Resident(order, urgency)});
}

LocalReplica GpuAllocation::shared_victim(LocalReplica wanted, LocalMemory memory, Urgency urgency) {
  EvictionOrder& order = states_.order(memory);
  if (asks_policy(memory)) {
    EvictionPolicy::Victim& victim = chosen_[memory.index()];
    using Is = EvictionPolicy::Victim::Is;
    // As in StarPU, the driver allocates nothing while a victim is being written back.
    if (writing_back_[memory.index()]) return {};
    decide(wanted, memory, urgency);
    if (victim.is == Is::none) return {};
    if (victim.is == Is::copy)
      return states_.is_only_valid(victim.copy, memory) ? LocalReplica{} : victim.copy;
  }
  return urgency == Urgency::fetch ? order.first({Kind::shared, Kind::reserved_shared})
                                   : order.first(Kind::shared);
}

GpuAllocation::Source GpuAllocation::evict_shared(LocalReplica wanted, LocalMemory memory, Urgency urgency) {
  if (urgency == Urgency::idle) return Source::none;
  LocalReplica const victim = shared_victim(wanted, memory, urgency);
  if (!victim.valid()) return Source::none;
  if (reclaims(memory) && sizes_[victim.index()] != sizes_[wanted.index()]) return Source::none;
  chosen_[memory.index()] = EvictionPolicy::none();
  memories_[memory.index()].give_back(sizes_[victim.index()], piece(victim, memory));
  states_.deallocate(victim, memory);
  client_.place_released(victim, memory);
  bool const freed = !states_.is_ram(memory) && written_back_[memory.index()] == victim &&
                     !GpuMemory::cut_from_chunks(sizes_[victim.index()]);
  return freed ? Source::freed : Source::kept;
}

LocalReplica GpuAllocation::victim(LocalReplica wanted, LocalMemory memory, Urgency urgency) {
  if (urgency == Urgency::idle) return {};
  EvictionOrder& order = states_.order(memory);
  if (asks_policy(memory)) {
    EvictionPolicy::Victim& chosen = chosen_[memory.index()];
    decide(wanted, memory, urgency);
    if (chosen.is != EvictionPolicy::Victim::Is::by_default) return chosen.copy;  // none: an invalid one
  }
  return urgency == Urgency::fetch
             ? order.first({Kind::shared, Kind::reserved_shared, Kind::owned, Kind::reserved_owned})
             : order.first({Kind::shared, Kind::owned});
}

bool GpuAllocation::free(LocalReplica replica, LocalMemory memory) {
  chosen_[memory.index()] = EvictionPolicy::none();
  bool const takes_time = memories_[memory.index()].free(sizes_[replica.index()], piece(replica, memory));
  states_.deallocate(replica, memory);
  client_.place_released(replica, memory);
  return takes_time;
}

LocalReplica GpuAllocation::to_write_back(LocalMemory memory, Urgency urgency) {
  if (urgency == Urgency::idle) return {};
  if (asks_policy(memory) && chosen_[memory.index()].is != EvictionPolicy::Victim::Is::by_default)
    return chosen_[memory.index()].copy;  // none: an invalid one
  EvictionOrder& order = states_.order(memory);
  return urgency == Urgency::fetch ? order.first({Kind::owned, Kind::reserved_owned})
                                   : order.first(Kind::owned);
}

void GpuAllocation::replaced(LocalReplica replica) {
  for (EvictionPolicy::Victim& victim : chosen_)
    if (victim.copy == replica) victim = EvictionPolicy::none();
  std::ranges::replace(written_back_, replica, LocalReplica{});
}

void GpuAllocation::release_all(LocalReplica replica) {
  for (std::size_t m = states_.first_limited(); m < states_.memory_nodes(); ++m) {
    LocalMemory const memory{m};
    if (!states_.allocated(replica, memory)) continue;
    memories_[m].give_back(sizes_[replica.index()], piece(replica, memory));
    client_.place_released(replica, memory);
  }
}

void MemoryReclaim::begin(RequestId id, TransferRequest const& request, GpuAllocation const& gpus) {
  FACTOSIM_EXPECT(!active_, "a GPU makes room for two requests at once");
  active_ = true;
  request_ = id;
  replica_ = request.replica;
  memory_ = request.to;
  urgency_ = request.urgency;
  wanted_ = gpus.size(request.replica) * gpus.copies_freed_at_once(request.to);
  victim_ = {};
  freed_ = Bytes{0};
  attempt_ = 0;
}

MemoryReclaim::Progress MemoryReclaim::advance(GpuAllocation& gpus, ReplicaStates const& states) {
  FACTOSIM_EXPECT(active_ && !write_back_.valid(), "a GPU goes on making room while it writes back");
  for (;;) {
    if (victim_.valid() && !states.is_only_valid(victim_, memory_)) {
      // Unless a task has taken it since it was chosen.
      LocalReplica const evicted = std::exchange(victim_, LocalReplica{});
      if (gpus.evictable(evicted, memory_)) {
        freed_ += gpus.size(evicted);
        if (gpus.free(evicted, memory_)) return Progress::freed;
      }
    } else if (victim_.valid() && gpus.evictable(victim_, memory_)) {
      return Progress::write_back;
    }
    if (freed_ < wanted_) {
      victim_ = gpus.victim(replica_, memory_, urgency_);
      if (victim_.valid()) continue;
    }
    // What the last attempt frees is left for later requests.
    source_ = GpuAllocation::Source::none;
    if (++attempt_ == max_attempts) break;
    source_ = gpus.allocate(replica_, memory_, urgency_);
    if (source_ != GpuAllocation::Source::none) break;
    freed_ = Bytes{0};
  }
  active_ = false;
  return source_ != GpuAllocation::Source::none ? Progress::allocated : Progress::ended;
}

}  // namespace factosim
