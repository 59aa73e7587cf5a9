#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/core/quantity.hpp"

namespace factosim {

/// Which memory nodes of one node hold a valid copy of each of its replicas, and in which order copies in GPU
/// memory may be evicted. Replicas and memory nodes are numbered within the node; memory node 0 is the RAM.
///
/// Every copy that has GPU memory and is not in use stands in one of four lists, least recently used first:
/// stale (not valid), clean (the RAM has it too), dirty (it has not), promised (a task already sent to that
/// GPU reads it).
class ReplicaStates {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;
  enum class List : std::uint8_t { stale, clean, dirty, promised, unlisted };

  /// `owned[r]`: the replica starts valid in RAM.
  ReplicaStates(std::vector<bool> const& owned, std::size_t memory_nodes);

  [[nodiscard]] bool valid(std::uint32_t replica, std::uint32_t memory) const {
    return copy(replica, memory).valid;
  }
  [[nodiscard]] bool allocated(std::uint32_t replica, std::uint32_t memory) const {
    return memory == 0 || copy(replica, memory).allocated;
  }

  /// The copy there becomes valid; with `written` it becomes the only one.
  void make_valid(std::uint32_t replica, std::uint32_t memory, bool written);
  void set_allocated(std::uint32_t replica, std::uint32_t memory, bool allocated);
  /// Invalid everywhere, and its GPU memory is forgotten (give it back first).
  void forget(std::uint32_t replica);

  /// A pinned copy is being read, written or moved and cannot be evicted.
  void pin(std::uint32_t replica, std::uint32_t memory);
  void unpin(std::uint32_t replica, std::uint32_t memory);
  /// A task sent to that memory node will read or write the copy.
  void promise(std::uint32_t replica, std::uint32_t memory);
  void redeem(std::uint32_t replica, std::uint32_t memory);

  /// The replica that `list` of that memory node offers first, or none.
  [[nodiscard]] std::uint32_t first(std::uint32_t memory, List list) const {
    std::uint32_t const copy = heads_[memory * lists_ + static_cast<std::size_t>(list)].first;
    return copy == none ? none : copy / static_cast<std::uint32_t>(memory_nodes_);
  }
  [[nodiscard]] bool dirty(std::uint32_t replica, std::uint32_t memory) const {
    return copy(replica, memory).valid && !copy(replica, 0).valid;
  }
  [[nodiscard]] std::size_t memory_nodes() const { return memory_nodes_; }

 private:
  static constexpr std::size_t lists_ = 4;

  struct Copy {
    std::uint32_t previous = none, next = none;  // in its list, as indices into copies_
    std::uint16_t pins = 0;
    std::uint16_t promises = 0;
    List list = List::unlisted;
    bool valid = false;
    bool allocated = false;
  };
  struct Ends {
    std::uint32_t first = none, last = none;
  };

  [[nodiscard]] Copy const& copy(std::uint32_t r, std::uint32_t m) const {
    return copies_[r * memory_nodes_ + m];
  }
  [[nodiscard]] Copy& copy(std::uint32_t r, std::uint32_t m) { return copies_[r * memory_nodes_ + m]; }
  [[nodiscard]] List list_for(std::uint32_t replica, std::uint32_t memory) const;
  /// Moves the copy to the end of the list where it belongs now.
  void relist(std::uint32_t replica, std::uint32_t memory);
  void relist_all(std::uint32_t replica);

  std::size_t memory_nodes_;
  std::vector<Copy> copies_;  // [replicas][memory nodes]
  std::vector<Ends> heads_;   // [memory nodes][lists]
};

}  // namespace factosim
