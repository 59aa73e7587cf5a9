#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// A priority queue of dated payloads: the earliest date first; at equal dates the lowest rank (0 to 3), then
/// the first pushed. A heap with four children per place in one flat array: half the levels of a binary heap, and
/// the children share one or two cache lines.
template <class Payload>
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] Seconds next_date() const { return items_.front().date; }

  void push(Seconds date, Payload payload, std::uint32_t rank = 0) {
    items_.push_back({date, std::uint64_t{rank} << rank_shift | next_sequence_++, payload});
    sift_up(items_.size() - 1);
  }

  /// Removes and returns the next payload.
  Payload pop() {
    Payload const payload = items_.front().payload;
    Item const last = items_.back();
    items_.pop_back();
    if (!items_.empty()) sift_down(last);
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

  void sift_up(std::size_t place) {
    Item const item = items_[place];
    while (place > 0) {
      std::size_t const parent = (place - 1) / children;
      if (!item.before(items_[parent])) break;
      items_[place] = items_[parent];
      place = parent;
    }
    items_[place] = item;
  }

  /// Moves `item` into the free place at the top and down to its place.
  void sift_down(Item const& item) {
    std::size_t place = 0;
    while (true) {
      std::size_t const first = place * children + 1;
      if (first >= items_.size()) break;
      std::size_t const end = std::min(first + children, items_.size());
      std::size_t minimum = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (items_[child].before(items_[minimum])) minimum = child;
      if (!items_[minimum].before(item)) break;
      items_[place] = items_[minimum];
      place = minimum;
    }
    items_[place] = item;
  }

  std::vector<Item> items_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace factosim
