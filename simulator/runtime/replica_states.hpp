#pragma once

#include <cstdint>
#include <vector>

#include "simulator/runtime/eviction_order.hpp"

namespace factosim {

/// Which memory nodes of one node hold a valid copy of each of its replicas, who uses them, and in which
/// order copies in GPU memory may be evicted. Replicas and memory nodes are numbered within the node; memory
/// nodes before the first GPU's are RAM, where nothing is allocated or evicted.
class ReplicaStates {
 public:
  static constexpr std::uint32_t none = EvictionOrder::none;
  using Kind = EvictionOrder::Kind;

  /// `owned[r]`: the replica starts valid in memory node 0.
  ReplicaStates(std::vector<bool> const& owned, std::size_t memory_nodes, std::size_t rams = 1);

  [[nodiscard]] bool valid(std::uint32_t replica, std::uint32_t memory) const {
    return copy(replica, memory).valid;
  }
  [[nodiscard]] bool allocated(std::uint32_t replica, std::uint32_t memory) const {
    return memory < rams_ || copy(replica, memory).allocated;
  }
  /// Whether that is the only valid copy.
  [[nodiscard]] bool owner(std::uint32_t replica, std::uint32_t memory) const {
    return copy(replica, memory).valid && valid_copies_[replica] == 1;
  }
  [[nodiscard]] std::size_t memory_nodes() const { return memory_nodes_; }

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
  /// One such task has it; without effect where no promise is left.
  void redeem(std::uint32_t replica, std::uint32_t memory);

  /// The copy was found there when it was wanted.
  void touch(std::uint32_t replica, std::uint32_t memory);
  /// Nothing will use the replica any more.
  void wont_use(std::uint32_t replica);

  [[nodiscard]] EvictionOrder& order(std::uint32_t memory) { return orders_[memory]; }

 private:
  struct Copy {
    std::uint16_t pins = 0;
    std::uint16_t promises = 0;
    bool valid = false;
    bool allocated = false;
  };

  [[nodiscard]] Copy const& copy(std::uint32_t r, std::uint32_t m) const {
    return copies_[r * memory_nodes_ + m];
  }
  [[nodiscard]] Copy& copy(std::uint32_t r, std::uint32_t m) { return copies_[r * memory_nodes_ + m]; }
  [[nodiscard]] Kind kind(std::uint32_t replica, std::uint32_t memory) const;
  void set_valid(std::uint32_t replica, std::uint32_t memory, bool valid);
  void update(std::uint32_t replica, std::uint32_t memory);
  void update_all(std::uint32_t replica);

  std::size_t memory_nodes_;
  std::size_t rams_;
  std::vector<Copy> copies_;                // [replicas][memory nodes]
  std::vector<std::uint8_t> valid_copies_;  // [replicas]
  std::vector<EvictionOrder> orders_;       // [memory nodes]; empty for RAM
};

}  // namespace factosim
