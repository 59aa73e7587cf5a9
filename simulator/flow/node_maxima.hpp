#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// The largest of the values of each node, for some of many nodes. O(1) amortised.
class NodeMaxima {
 public:
  void extend(NodeId node, double value) {
    if (2 * count_ >= entries_.size()) grow();
    Entry& entry = place_of(node);
    if (!entry.first.valid()) {
      ++count_;
      entry = {node, value};
    }
    entry.second = std::max(entry.second, value);
  }
  void clear() {
    std::ranges::fill(entries_, Entry{});
    count_ = 0;
  }
  /// Calls `use(node, maximum)`.
  template <class Use>
  void for_each(Use const& use) const {
    for (auto const& [node, value] : entries_)
      if (node.valid()) use(node, value);
  }

 private:
  using Entry = std::pair<NodeId, double>;

  Entry& place_of(NodeId node) {
    std::size_t const mask = entries_.size() - 1;
    std::size_t place = (node.value() * std::size_t{0x9e3779b1}) >> 16U & mask;
    while (entries_[place].first.valid() && entries_[place].first != node) place = (place + 1) & mask;
    return entries_[place];
  }
  void grow() {
    std::vector<Entry> const before =
        std::exchange(entries_, std::vector<Entry>(std::max<std::size_t>(4, 2 * entries_.size())));
    for (Entry const& entry : before)
      if (entry.first.valid()) place_of(entry.first) = entry;
  }

  std::vector<Entry> entries_;  // open addressing; a power of two
  std::size_t count_ = 0;
};

}  // namespace factosim
