#include "simulator/tasks/plan/broadcast.hpp"

#include <bit>

namespace factosim {

std::vector<std::optional<std::size_t>> forwarding_tree(Broadcast broadcast, std::size_t count) {
  std::vector<std::optional<std::size_t>> parent(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (broadcast == Broadcast::ring && i > 0) parent[i] = i - 1;
    // In the tree, the parent of rank i + 1 is that rank without its highest bit; rank 0 is the owner.
    if (broadcast == Broadcast::binomial)
      if (std::size_t const rank = (i + 1) - std::bit_floor(i + 1); rank > 0) parent[i] = rank - 1;
  }
  return parent;
}

}  // namespace factosim
