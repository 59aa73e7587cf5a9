#pragma once

#include <cstdint>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// The replicas that one node has received and still needs, by handle: a hash table with linear probing.
class ReceivedTiles {
 public:
  /// Returns the replica; an invalid id without one.
  [[nodiscard]] LocalReplica find(HandleId handle) const {
    if (entries_.empty()) return {};
    for (std::size_t i = home(handle);; i = next(i))
      if (!entries_[i].handle.valid() || entries_[i].handle == handle) return entries_[i].replica;
  }
  /// Adds a handle that is not there.
  void add(HandleId handle, LocalReplica replica) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    ++count_;
    place({handle, replica});
  }
  /// Removes a handle that is there.
  void remove(HandleId handle) {
    std::size_t hole = home(handle);
    while (entries_[hole].handle != handle) hole = next(hole);
    // Later entries of the cluster move up unless that takes them before their home.
    for (std::size_t i = next(hole); entries_[i].handle.valid(); i = next(i)) {
      std::size_t const from_home = (i - home(entries_[i].handle)) & (entries_.size() - 1);
      std::size_t const from_hole = (i - hole) & (entries_.size() - 1);
      if (from_home < from_hole) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole] = {};
    --count_;
  }

 private:
  struct Entry {
    HandleId handle;
    LocalReplica replica;
  };

  [[nodiscard]] std::size_t home(HandleId handle) const {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    return static_cast<std::size_t>((handle.value() * golden) >> 32U) & (entries_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  void place(Entry const& entry) {
    std::size_t i = home(entry.handle);
    while (entries_[i].handle.valid()) i = next(i);
    entries_[i] = entry;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (Entry const& entry : old)
      if (entry.handle.valid()) place(entry);
  }

  std::vector<Entry> entries_;  // a power of two, at most half of them in use
  std::size_t count_ = 0;
};

}  // namespace factosim
