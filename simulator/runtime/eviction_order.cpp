#include "simulator/runtime/eviction_order.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::uint64_t key_step = 1U << 16;  // room for copies put before the first dirty one
constexpr std::size_t min_clean_percent = 5;
constexpr std::size_t wanted_clean_percent = 10;

bool later(auto const& a, auto const& b) { return a.key > b.key; }

}  // namespace

void EvictionOrder::push_back(std::uint32_t replica) {
  Place& p = places_[replica];
  p.listed = true;
  p.key = next_key_ += key_step;
  p.previous = last_;
  p.next = none;
  (last_ == none ? first_ : places_[last_].next) = replica;
  last_ = replica;
  ++listed_;
  if (p.clean)
    ++clean_;
  else if (dirty_head_ == none)
    dirty_head_ = replica;
}

void EvictionOrder::unlink(std::uint32_t replica) {
  Place& p = places_[replica];
  FACTOSIM_EXPECT(p.listed, "a copy without memory leaves the list");
  if (replica == dirty_head_) dirty_head_ = p.next;
  (p.previous == none ? first_ : places_[p.previous].next) = p.next;
  (p.next == none ? last_ : places_[p.next].previous) = p.previous;
  p.listed = false;
  --listed_;
  if (p.clean) --clean_;
}

void EvictionOrder::add(std::uint32_t replica) {
  places_[replica].clean = true;  // until it is written
  push_back(replica);
  offer(replica);
}

void EvictionOrder::remove(std::uint32_t replica) { unlink(replica); }

void EvictionOrder::touch(std::uint32_t replica) {
  unlink(replica);
  push_back(replica);
  offer(replica);
}

void EvictionOrder::wont_use(std::uint32_t replica) {
  unlink(replica);
  Place& p = places_[replica];
  p.clean = true;
  if (dirty_head_ == none) {
    push_back(replica);
  } else {
    Place& head = places_[dirty_head_];
    std::uint64_t const before = head.previous == none ? head.key - key_step : places_[head.previous].key;
    p.key = before +
            (head.key - before) / 2;  // equal keys when the room is used up: their order then is arbitrary
    p.listed = true;
    p.previous = head.previous;
    p.next = dirty_head_;
    (head.previous == none ? first_ : places_[head.previous].next) = replica;
    head.previous = replica;
    ++listed_;
    ++clean_;
  }
  offer(replica);
}

void EvictionOrder::dirty(std::uint32_t replica) {
  Place& p = places_[replica];
  if (p.listed && p.clean) --clean_;
  p.clean = false;
}

void EvictionOrder::set_kind(std::uint32_t replica, Kind kind) {
  if (places_[replica].kind == kind) return;
  places_[replica].kind = kind;
  if (places_[replica].listed) offer(replica);
}

bool EvictionOrder::stands(Candidate const& candidate, Kind kind) const {
  Place const& p = places_[candidate.replica];
  return p.listed && p.kind == kind && p.key == candidate.key;
}

void EvictionOrder::offer(std::uint32_t replica) {
  Place const& p = places_[replica];
  if (p.kind == Kind::in_use) return;
  auto& heap = candidates_[static_cast<std::size_t>(p.kind)];
  if (heap.size() > 4 * listed_ + 64) {  // mostly leftovers
    std::erase_if(heap, [&](Candidate const& c) { return !stands(c, p.kind); });
    std::make_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
  }
  heap.push_back({p.key, replica});
  std::push_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
}

std::uint32_t EvictionOrder::first(Kind kind) {
  auto& heap = candidates_[static_cast<std::size_t>(kind)];
  while (!heap.empty() && !stands(heap.front(), kind)) {
    std::pop_heap(heap.begin(), heap.end(), later<Candidate, Candidate>);
    heap.pop_back();
  }
  return heap.empty() ? none : heap.front().replica;
}

std::uint32_t EvictionOrder::first(Kind a, Kind b) {
  std::uint32_t const one = first(a);
  std::uint32_t const other = first(b);
  if (one == none || other == none) return one == none ? other : one;
  return places_[one].key < places_[other].key ? one : other;
}

void EvictionOrder::tidy(std::vector<bool> const& being_written, std::vector<std::uint32_t>& marked) {
  if (clean_ * 100 >= listed_ * min_clean_percent) return;
  bool skipped = false;
  for (std::uint32_t r = dirty_head_; r != none && clean_ * 100 < listed_ * wanted_clean_percent;) {
    Place& p = places_[r];
    if (!p.clean && (p.kind == Kind::in_use || being_written[r])) {
      skipped = true;  // the head stays before it
    } else if (!p.clean) {
      p.clean = true;
      ++clean_;
      marked.push_back(r);
    }
    r = p.next;
    if (!skipped) dirty_head_ = r;
  }
}

}  // namespace factosim
