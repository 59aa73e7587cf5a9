#include "simulator/tasks/plan/broadcast.hpp"

#include <bit>

#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<Broadcast, 4> named_broadcasts{
    .what = "broadcast",
    .values = {{{Broadcast::point_to_point, "point-to-point"},
                {Broadcast::binomial, "binomial"},
                {Broadcast::ring, "ring"},
                {Broadcast::cooperative, "cooperative"}}}};

}  // namespace

std::string_view name_of(Broadcast broadcast) { return named_broadcasts.name_of(broadcast); }

std::vector<std::string> broadcast_names() { return named_broadcasts.names(); }

Broadcast broadcast_named(std::string_view wanted) { return named_broadcasts.named(wanted); }

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
