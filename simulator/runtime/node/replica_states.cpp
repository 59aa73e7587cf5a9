#include "simulator/runtime/node/replica_states.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint64_t key_step = 1U << 16;  // room for copies inserted before the first dirty one

bool later(auto const& a, auto const& b) { return a.key > b.key; }

}  // namespace

void EvictionOrder::push_back(LocalReplica replica) {
  Place& p = place(replica);
  p.listed = true;
  p.key = next_key_ += key_step;
  p.previous = last_;
  p.next = {};
  (last_.valid() ? place(last_).next : first_) = replica;
  last_ = replica;
  ++listed_;
  if (p.clean)
    ++clean_;
  else if (!dirty_head_.valid())
    dirty_head_ = replica;
}

void EvictionOrder::insert_before_dirty(LocalReplica replica) {
  FACTOSIM_EXPECT(dirty_head_.valid(), "no copy must be written back, so none is before those");
  Place& head = place(dirty_head_);
  Place& p = place(replica);
  std::uint64_t const before = head.previous.valid() ? place(head.previous).key : head.key - key_step;
  // Keys become equal once the room between two is used up; their order then is arbitrary.
  p.key = before + (head.key - before) / 2;
  p.listed = true;
  p.previous = head.previous;
  p.next = dirty_head_;
  (head.previous.valid() ? place(head.previous).next : first_) = replica;
  head.previous = replica;
  ++listed_;
  ++clean_;
}

void EvictionOrder::remove(LocalReplica replica) {
  Place& p = place(replica);
  FACTOSIM_EXPECT(p.listed, "a copy without memory leaves the list");
  if (replica == dirty_head_) dirty_head_ = p.next;
  (p.previous.valid() ? place(p.previous).next : first_) = p.next;
  (p.next.valid() ? place(p.next).previous : last_) = p.previous;
  p.listed = false;
  --listed_;
  if (p.clean) --clean_;
}

void EvictionOrder::add(LocalReplica replica) {
  place(replica).clean = true;  // until it is written
  push_back(replica);
  offer(replica);
}

void EvictionOrder::touch(LocalReplica replica) {
  remove(replica);
  push_back(replica);
  offer(replica);
}

void EvictionOrder::wont_use(LocalReplica replica) {
  remove(replica);
  place(replica).clean = true;
  if (dirty_head_.valid())
    insert_before_dirty(replica);
  else
    push_back(replica);
  offer(replica);
}

void EvictionOrder::dirty(LocalReplica replica) {
  Place& p = place(replica);
  if (p.listed && p.clean) --clean_;
  p.clean = false;
}

void EvictionOrder::set_kind(LocalReplica replica, Kind kind) {
  if (place(replica).kind == kind) return;
  place(replica).kind = kind;
  if (place(replica).listed) offer(replica);
}

bool EvictionOrder::is_current(Candidate const& candidate, Kind kind) const {
  Place const& p = places_[candidate.replica.index()];
  return p.listed && p.kind == kind && p.key == candidate.key;
}

void EvictionOrder::offer(LocalReplica replica) {
  Place const& p = place(replica);
  if (p.kind == Kind::in_use) return;
  auto& heap = candidates_[static_cast<std::size_t>(p.kind)];
  if (heap.size() > 4 * listed_ + 64) {  // most candidates are outdated
    std::erase_if(heap, [&](Candidate const& c) { return !is_current(c, p.kind); });
    std::make_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
  }
  heap.push_back({p.key, replica});
  std::push_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
}

LocalReplica EvictionOrder::first(Kind kind) {
  auto& heap = candidates_[static_cast<std::size_t>(kind)];
  while (!heap.empty() && !is_current(heap.front(), kind)) {
    std::pop_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
    heap.pop_back();
  }
  return heap.empty() ? LocalReplica{} : heap.front().replica;
}

LocalReplica EvictionOrder::first(std::initializer_list<Kind> kinds) {
  LocalReplica best;
  for (Kind const kind : kinds)
    if (LocalReplica const other = first(kind);
        other.valid() && (!best.valid() || place(other).key < place(best).key))
      best = other;
  return best;
}

ReplicaStates::ReplicaStates(std::vector<bool> const& initial, std::size_t memory_nodes, std::size_t rams,
                             bool has_disk)
    : memory_nodes_(memory_nodes),
      rams_(rams),
      has_disk_(has_disk),
      copies_(initial.size() * memory_nodes),
      valid_copies_(initial.begin(), initial.end()),
      being_written_(initial.size(), false),
      pins_(initial.size(), 0),
      written_(initial.size(), false) {
  for (std::size_t m = 0; m < memory_nodes; ++m)
    orders_.emplace_back(m < first_limited() ? 0 : initial.size());
  for (std::size_t r = 0; r < initial.size(); ++r) copies_[r * memory_nodes_].valid = initial[r];
}

void ReplicaStates::add(LocalReplica replica) {
  if (std::size_t const count = replica.index() + 1; count > replicas()) {
    copies_.resize(count * memory_nodes_);
    valid_copies_.resize(count);
    being_written_.resize(count);
    pins_.resize(count);
    written_.resize(count);
  }
  for (std::size_t m = 0; m < memory_nodes_; ++m) copy(replica, LocalMemory{m}) = {};
  valid_copies_[replica.index()] = 0;
  being_written_[replica.index()] = written_[replica.index()] = false;
  for (std::size_t m = first_limited(); m < memory_nodes_; ++m) order(LocalMemory{m}).begin(replica);
}

bool ReplicaStates::held(LocalReplica replica) const {
  if (pins_[replica.index()] > 0) return true;
  for (std::size_t m = first_limited(); m < memory_nodes_; ++m)
    if (copy(replica, LocalMemory{m}).allocated) return true;
  return false;
}

void ReplicaStates::set_valid(LocalReplica replica, LocalMemory memory, bool valid) {
  Copy& c = copy(replica, memory);
  std::uint8_t& count = valid_copies_[replica.index()];
  if (c.valid != valid) valid ? ++count : --count;
  c.valid = valid;
}

void ReplicaStates::make_valid(LocalReplica replica, LocalMemory memory) {
  set_valid(replica, memory, true);
  update_all(replica);
}

void ReplicaStates::write(LocalReplica replica, LocalMemory memory) {
  for (std::size_t m = 0; m < memory_nodes_; ++m) set_valid(replica, LocalMemory{m}, false);
  set_valid(replica, memory, true);
  if (is_limited(memory)) order(memory).dirty(replica);
  update_all(replica);
}

void ReplicaStates::allocate(LocalReplica replica, LocalMemory memory) {
  FACTOSIM_EXPECT(!copy(replica, memory).allocated, "a copy that has memory gets more");
  copy(replica, memory).allocated = true;
  order(memory).add(replica);
  update_all(replica);
}

void ReplicaStates::deallocate(LocalReplica replica, LocalMemory memory) {
  FACTOSIM_EXPECT(copy(replica, memory).allocated, "a copy without memory loses it");
  FACTOSIM_EXPECT(copy(replica, memory).pins == 0, "a copy in use loses its memory");
  copy(replica, memory).allocated = false;
  set_valid(replica, memory, false);
  order(memory).remove(replica);
  update_all(replica);
}

void ReplicaStates::forget(LocalReplica replica) {
  for (std::size_t m = 0; m < memory_nodes_; ++m) {
    LocalMemory const memory{m};
    set_valid(replica, memory, false);
    if (copy(replica, memory).allocated) order(memory).remove(replica);
    copy(replica, memory).allocated = false;
  }
}

void ReplicaStates::pin(LocalReplica replica, LocalMemory memory) {
  std::uint16_t const pins = pins_[replica.index()]++;
  if (copy(replica, memory).pins++ == 0) update(replica, memory);
  if (short_ && pins == 0 && written_[replica.index()]) update_all(replica);
}

void ReplicaStates::unpin(LocalReplica replica, LocalMemory memory) {
  FACTOSIM_EXPECT(copy(replica, memory).pins > 0, "a copy that is not pinned is unpinned");
  std::uint16_t const pins = --pins_[replica.index()];
  if (--copy(replica, memory).pins == 0) update(replica, memory);
  if (short_ && pins == 0 && written_[replica.index()]) update_all(replica);
}

void ReplicaStates::accessed(LocalReplica replica, bool writes) {
  if (written_[replica.index()] == writes) return;
  written_[replica.index()] = writes;
  if (short_ && pins_[replica.index()] > 0) update_all(replica);
}

void ReplicaStates::memory_is_short() {
  if (std::exchange(short_, true)) return;
  for (std::size_t r = 0; r < replicas(); ++r) update_all(LocalReplica{r});
}

void ReplicaStates::reserve(LocalReplica replica, LocalMemory memory, std::uint32_t tasks) {
  std::uint32_t& reservations = copy(replica, memory).reservations;
  reservations += tasks;
  if (tasks > 0 && reservations == tasks) update(replica, memory);
}

void ReplicaStates::release_reservation(LocalReplica replica, LocalMemory memory) {
  Copy& c = copy(replica, memory);
  if (c.reservations > 0 && --c.reservations == 0) update(replica, memory);
}

void ReplicaStates::touch(LocalReplica replica, LocalMemory memory) {
  if (is_limited(memory) && copy(replica, memory).allocated) order(memory).touch(replica);
}

void ReplicaStates::wont_use(LocalReplica replica) {
  for (std::size_t m = first_limited(); m < memory_nodes_; ++m)
    if (copy(replica, LocalMemory{m}).allocated) order(LocalMemory{m}).wont_use(replica);
}

bool ReplicaStates::ignore_locks() {
  if (!std::exchange(locks_, false)) return false;
  for (std::size_t r = 0; r < replicas(); ++r) update_all(LocalReplica{r});
  return true;
}

ReplicaStates::Kind ReplicaStates::kind(LocalReplica replica, LocalMemory memory) const {
  Copy const& c = copy(replica, memory);
  if (!c.allocated || c.pins > 0 || (short_ && locked(replica))) return Kind::in_use;
  if (is_only_valid(replica, memory)) return c.reservations > 0 ? Kind::reserved_owned : Kind::owned;
  return c.reservations > 0 ? Kind::reserved_shared : Kind::shared;
}

void ReplicaStates::update(LocalReplica replica, LocalMemory memory) {
  if (is_limited(memory)) order(memory).set_kind(replica, kind(replica, memory));
}

void ReplicaStates::update_all(LocalReplica replica) {
  for (std::size_t m = first_limited(); m < memory_nodes_; ++m) update(replica, LocalMemory{m});
}

}  // namespace factosim
