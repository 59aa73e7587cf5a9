#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace factosim {

/// Values of some of many ids: a hash table with linear probing, at most half full. O(1) amortised.
template <class Id, class Value>
class IdTable {
 public:
  /// Returns the value; null without one.
  [[nodiscard]] Value const* find(Id id) const {
    if (entries_.empty()) return nullptr;
    Entry const& entry = entries_[place_of(id)];
    return entry.id.valid() ? &entry.value : nullptr;
  }
  /// Returns the value, which is `value` if there was none.
  Value& find_or_add(Id id, Value const& value) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(id)];
    if (!entry.id.valid()) {
      ++count_;
      entry = {id, value};
    }
    return entry.value;
  }
  /// Removes an id that is there.
  void remove(Id id) {
    std::size_t hole = place_of(id);
    // Later entries of the cluster move up unless that takes them before their home.
    for (std::size_t i = next(hole); entries_[i].id.valid(); i = next(i)) {
      std::size_t const from_home = (i - home(entries_[i].id)) & (entries_.size() - 1);
      std::size_t const from_hole = (i - hole) & (entries_.size() - 1);
      if (from_home < from_hole) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = {};
    --count_;
  }
  /// Keeps the memory.
  void clear() {
    std::ranges::fill(entries_, Entry{});
    count_ = 0;
  }
  /// Calls `use(id, value)`, in no particular order.
  template <class Use>
  void for_each(Use const& use) const {
    for (Entry const& entry : entries_)
      if (entry.id.valid()) use(entry.id, entry.value);
  }

 private:
  struct Entry {
    Id id{};
    Value value{};
  };

  [[nodiscard]] std::size_t home(Id id) const {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    return static_cast<std::size_t>((id.value() * golden) >> 32U) & (entries_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  /// Returns the place of the id, or the free one where it belongs.
  [[nodiscard]] std::size_t place_of(Id id) const {
    std::size_t i = home(id);
    while (entries_[i].id.valid() && entries_[i].id != id) i = next(i);
    return i;
  }
  void grow() {
    std::vector<Entry> const before =
        std::exchange(entries_, std::vector<Entry>(std::max<std::size_t>(4, 2 * entries_.size())));
    for (Entry const& entry : before)
      if (entry.id.valid()) entries_[place_of(entry.id)] = entry;
  }

  std::vector<Entry> entries_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace factosim
