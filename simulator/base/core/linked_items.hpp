#pragma once

#include <cstdint>
#include <vector>

namespace factosim {

/// A doubly linked list of items that are numbers; the links of all items are in one array, so that an item is in one
/// list of that array at most. All operations take constant time and allocate nothing.
struct LinkedItems {
  static constexpr std::uint32_t none = 0xffffffff;
  struct Links {
    std::uint32_t previous = none, next = none;
  };

  std::uint32_t first = none, last = none, size = 0;

  [[nodiscard]] bool empty() const { return first == none; }

  void push_back(std::vector<Links>& links, std::uint32_t item) {
    links[item] = {.previous = last, .next = none};
    (last != none ? links[last].next : first) = item;
    last = item;
    ++size;
  }
  void push_front(std::vector<Links>& links, std::uint32_t item) { insert_before(links, item, first); }
  /// `other`: an item of the list, or none: the end.
  void insert_before(std::vector<Links>& links, std::uint32_t item, std::uint32_t other) {
    if (other == none) return push_back(links, item);
    std::uint32_t const previous = links[other].previous;
    links[item] = {.previous = previous, .next = other};
    (previous != none ? links[previous].next : first) = item;
    links[other].previous = item;
    ++size;
  }
  void erase(std::vector<Links>& links, std::uint32_t item) {
    auto const [previous, next] = links[item];
    (previous != none ? links[previous].next : first) = next;
    (next != none ? links[next].previous : last) = previous;
    --size;
  }
};

}  // namespace factosim
