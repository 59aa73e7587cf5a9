#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "factosim/platform.hpp"

namespace factosim {

/// Most links of a message between a memory node and a card.
inline constexpr std::size_t most_card_links = 8;

/// The switches of a group to which cards are joined, and the cards at each.
[[nodiscard]] inline std::uint32_t switches_of_group(Dragonfly const& d) { return d.switches; }
[[nodiscard]] inline std::uint32_t switches_of_group(DragonflyPlus const& d) { return d.leaves; }
[[nodiscard]] inline std::uint32_t cards_at_switch(Dragonfly const& d) { return d.nodes_per_switch; }
[[nodiscard]] inline std::uint32_t cards_at_switch(DragonflyPlus const& d) { return d.nodes_per_leaf; }
/// Returns the groups: those it states, or as many as the cards need.
template <class Groups>
[[nodiscard]] std::uint32_t groups_of(Groups const& d, std::size_t cards) {
  std::size_t const in_group = std::size_t{switches_of_group(d)} * cards_at_switch(d);
  return d.groups > 0 ? d.groups : static_cast<std::uint32_t>((cards + in_group - 1) / in_group);
}
/// Returns the place of a card among those of all nodes in the order in which they fill the switches: the c-th cards of
/// the nodes of one leaf, or of one switch of a dragonfly, are together, and those of the next number follow.
[[nodiscard]] std::uint32_t position_of(Platform const& platform, NodeId node, std::uint32_t card);
/// Returns a number above all places.
[[nodiscard]] std::size_t positions_of(Platform const& platform);
/// Returns why the fabric cannot join the nodes, and what to do; empty if it can.
[[nodiscard]] std::string misfit(Platform const& platform);
/// Returns the memory node of a GPU with the fewest links from the card, of several the one that the card's number modulo
/// theirs chooses; the first RAM if that is nearer. O(memories).
[[nodiscard]] std::size_t memory_beside_card(NodeType const& type, std::size_t card);
/// Returns whether all messages to the node arrive in memories of GPUs that have room.
[[nodiscard]] bool receives_on_gpus(NetworkSpec const& network, NodeType const& type);
/// Returns the links of messages between a memory node and a card, those that are not described too.
[[nodiscard]] Bus::CardRoute card_route_of(NodeType const& type, std::size_t card, std::size_t memory);
/// Returns "switch", "fat tree", "dragonfly" or "dragonfly+".
[[nodiscard]] std::string name_of_fabric(Fabric const& fabric);
/// Returns true if messages choose their routes by the loads of links.
[[nodiscard]] bool is_adaptive(Fabric const& fabric);
/// Multiplies bandwidths and latencies of its links.
void multiply(Fabric& fabric, double bandwidth_factor, double latency_factor);

}  // namespace factosim
