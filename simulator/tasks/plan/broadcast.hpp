#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <vector>

#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// Algorithms that send an output of a task to several nodes.
enum class Broadcast {
  point_to_point,  // the owner sends to each, the most urgent first
  binomial,        // a binomial tree: each node that has the output serves half of the remaining nodes
  ring,            // each node sends it to the next one, the most urgent first ("increasing ring")
  cooperative      // each free node that has it sends it to the most urgent node that is not served yet
};

[[nodiscard]] constexpr NamedValues<Broadcast, 4> names_of(Broadcast /*any*/) {
  using enum Broadcast;
  return {"broadcast",
          {{{point_to_point, "point-to-point"},
            {binomial, "binomial"},
            {ring, "ring"},
            {cooperative, "cooperative"}}}};
}

/// Returns for each of `count` messages, the most urgent first, the message whose receiver forwards it, or
/// none where the owner sends it itself.
[[nodiscard]] inline std::vector<std::optional<std::size_t>> forwarding_tree(Broadcast broadcast,
                                                                             std::size_t count) {
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
