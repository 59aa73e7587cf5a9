#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace factosim {

/// A queue by priority, first in, first out among equal priorities. O(log n) to push and to pop.
template <class T>
class PriorityFifo {
 public:
  struct Item {
    std::int32_t priority;
    std::uint32_t ticket;  // drawn by the caller, in increasing order; an item put back keeps its place
    T value;
  };

  void push(Item const& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), after);
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] Item const& top() const { return items_.front(); }
  Item pop() {
    std::pop_heap(items_.begin(), items_.end(), after);
    Item const item = items_.back();
    items_.pop_back();
    return item;
  }

  /// Returns whether `a` leaves the queue after `b`.
  [[nodiscard]] static bool after(Item const& a, Item const& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.ticket > b.ticket;
  }

 private:
  std::vector<Item> items_;  // heap
};

}  // namespace factosim
