#include "simulator/plan/broadcast.hpp"

#include <bit>

#include "simulator/core/named_values.hpp"

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

std::vector<std::uint32_t> forwarding_tree(Broadcast broadcast, std::uint32_t count) {
  std::vector<std::uint32_t> parent(count, sent_by_owner);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (broadcast == Broadcast::ring && i > 0) parent[i] = i - 1;
    // Rank i + 1 of the tree gets it from its rank without the highest bit; rank 0 is the owner.
    if (broadcast == Broadcast::binomial)
      if (std::uint32_t const rank = (i + 1) - std::bit_floor(i + 1); rank > 0) parent[i] = rank - 1;
  }
  return parent;
}

}  // namespace factosim
