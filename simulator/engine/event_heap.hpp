#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// A priority queue of dated payloads: the earliest date first; at equal dates the lowest rank (0 to 3), then
/// the first pushed.
///
/// Most events of a large cluster are the ends of kernels, far away, but most events that are pushed come soon. So there are
/// two heaps: a small one with the dates up to a limit, and one with the later dates, of which a batch moves on when the
/// first one is empty. A heap has four children per place in one flat array: half the levels of a binary heap, and the
/// children share one or two cache lines.
template <class Payload>
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return near_.empty(); }
  [[nodiscard]] std::size_t size() const { return near_.size() + far_.size(); }
  [[nodiscard]] Seconds next_date() const { return near_.front().date; }

  void push(Seconds date, Payload payload, std::uint32_t rank = 0) {
    Item const item{date, std::uint64_t{rank} << rank_shift | next_sequence_++, payload};
    if (empty()) limit_ = date;
    push(date <= limit_ ? near_ : far_, item);
  }

  /// Removes and returns the next payload.
  Payload pop() {
    Payload const payload = pop(near_).payload;
    if (near_.empty() && !far_.empty()) come_near();
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
  using Heap = std::vector<Item>;
  static constexpr std::size_t children = 4;
  static constexpr int rank_shift = 62;
  static constexpr std::size_t batch = 64;  // items that come near at once

  /// Moves the first items of the far heap, and all of the last one's date, to the near heap, which is empty.
  void come_near() {
    while (!far_.empty() && (near_.size() < batch || far_.front().date == limit_)) {
      near_.push_back(pop(far_));  // ascending dates are a heap
      limit_ = near_.back().date;
    }
  }

  static void push(Heap& heap, Item const& item) {
    heap.push_back(item);
    std::size_t place = heap.size() - 1;
    while (place > 0) {
      std::size_t const parent = (place - 1) / children;
      if (!item.before(heap[parent])) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = item;
  }

  static Item pop(Heap& heap) {
    Item const first = heap.front();
    Item const last = heap.back();
    heap.pop_back();
    if (!heap.empty()) sift_down(heap, last);
    return first;
  }

  /// Moves `item` into the free place at the top and down to its place.
  static void sift_down(Heap& heap, Item const& item) {
    std::size_t place = 0;
    while (true) {
      std::size_t const first = place * children + 1;
      if (first >= heap.size()) break;
      std::size_t const end = std::min(first + children, heap.size());
      std::size_t minimum = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap[child].before(heap[minimum])) minimum = child;
      if (!heap[minimum].before(item)) break;
      heap[place] = heap[minimum];
      place = minimum;
    }
    heap[place] = item;
  }

  Heap near_, far_;  // near: all dates up to the limit; empty only if both are
  Seconds limit_{0};
  std::uint64_t next_sequence_ = 0;
};

}  // namespace factosim
