#include "simulator/runtime/node/eviction_order.hpp"

#include <algorithm>

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

void EvictionOrder::unlink(LocalReplica replica) {
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

void EvictionOrder::remove(LocalReplica replica) { unlink(replica); }

void EvictionOrder::touch(LocalReplica replica) {
  unlink(replica);
  push_back(replica);
  offer(replica);
}

void EvictionOrder::wont_use(LocalReplica replica) {
  unlink(replica);
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

}  // namespace factosim
