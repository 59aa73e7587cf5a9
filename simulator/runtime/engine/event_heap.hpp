#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/runtime/engine/far_events.hpp"

namespace factosim {

/// A priority queue of dated payloads: the earliest date first; at equal dates the lowest rank (0 to 3), then
/// the first pushed.
///
/// Most events of a large cluster are the ends of kernels, far away, but most events that are pushed come soon. So there is
/// a small heap with the dates that are near, and the others wait in FarEvents, of which some move on when the heap is
/// empty. The heap has four children per place in one flat array: half the levels of a binary heap, and the children share
/// one or two cache lines. An event that is pushed before all others is kept apart: on few nodes, many are the next one and
/// never see the heap.
template <class Payload>
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return !has_first_ && near_.empty(); }
  [[nodiscard]] std::size_t size() const { return (has_first_ ? 1 : 0) + near_.size() + far_.size(); }
  [[nodiscard]] Seconds next_date() const { return has_first_ ? first_.date : near_.front().date; }

  void push(Seconds date, Payload payload, std::uint32_t rank = 0) {
    Item item{date, std::uint64_t{rank} << rank_shift | next_sequence_++, payload};
    if (has_first_) {
      if (item.before(first_)) std::swap(item, first_);
    } else if (near_.empty() || item.before(near_.front())) {
      first_ = item;
      has_first_ = true;
      return;
    }
    if (near_.empty()) far_.begin(item.date);
    if (far_.takes(item.date))
      far_.push(item);
    else
      push_near(item);
  }

  /// Removes and returns the next payload.
  Payload pop() {
    if (std::exchange(has_first_, false)) return first_.payload;
    Payload const payload = pop_near().payload;
    if (near_.empty() && far_.size() > 0) {
      far_.take_first(near_);
      std::sort(near_.begin(), near_.end(), [](Item const& a, Item const& b) { return a.before(b); });
    }
    return payload;
  }

 private:
  struct Item {
    Seconds date;
    std::uint64_t sequence;
    Payload payload;
    [[nodiscard]] bool before(Item const& other) const {
      return date < other.date || (date == other.date && sequence < other.sequence);
    }
  };
  static constexpr std::size_t children = 4;
  static constexpr int rank_shift = 62;

  void push_near(Item const& item) {
    near_.push_back(item);
    std::size_t place = near_.size() - 1;
    while (place > 0) {
      std::size_t const parent = (place - 1) / children;
      if (!item.before(near_[parent])) break;
      near_[place] = near_[parent];
      place = parent;
    }
    near_[place] = item;
  }

  Item pop_near() {
    Item const first = near_.front();
    Item const last = near_.back();
    near_.pop_back();
    if (!near_.empty()) sift_down(last);
    return first;
  }

  /// Moves `item` into the free place at the top and down to its place.
  void sift_down(Item const& item) {
    std::size_t place = 0;
    while (true) {
      std::size_t const first = place * children + 1;
      if (first >= near_.size()) break;
      std::size_t const end = std::min(first + children, near_.size());
      std::size_t minimum = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (near_[child].before(near_[minimum])) minimum = child;
      if (!near_[minimum].before(item)) break;
      near_[place] = near_[minimum];
      place = minimum;
    }
    near_[place] = item;
  }

  Item first_{};  // before all others, if there is one
  bool has_first_ = false;
  std::vector<Item> near_;  // a heap; empty only if there are no far ones
  FarEvents<Item> far_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace factosim
