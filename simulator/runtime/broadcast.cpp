#include "simulator/runtime/broadcast.hpp"

#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

namespace factosim {

namespace {

constexpr std::array names{
    std::pair{Broadcast::point_to_point, std::string_view("point-to-point")},
    std::pair{Broadcast::binomial, std::string_view("binomial")},
    std::pair{Broadcast::ring, std::string_view("ring")},
    std::pair{Broadcast::cooperative, std::string_view("cooperative")},
};

}  // namespace

std::string_view name_of(Broadcast broadcast) {
  for (auto const& [value, name] : names)
    if (value == broadcast) return name;
  throw std::out_of_range("unknown broadcast");
}

std::vector<std::string> broadcast_names() {
  std::vector<std::string> out;
  for (auto const& [value, name] : names) out.emplace_back(name);
  return out;
}

Broadcast broadcast_named(std::string_view wanted) {
  for (auto const& [value, name] : names)
    if (name == wanted) return value;
  throw std::out_of_range("unknown broadcast " + std::string(wanted));
}

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
