#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "factosim/platform.hpp"

namespace factosim {

/// Returns the groups of a dragonfly: those it states, or as many as the cards need.
[[nodiscard]] std::uint32_t groups_of(Dragonfly const& dragonfly, std::size_t cards);
/// Returns the place of a card among those of all nodes in the order in which they fill the switches: the c-th cards of
/// the nodes of one leaf, or of one switch of a dragonfly, are together, and those of the next number follow.
[[nodiscard]] std::uint32_t position_of(Platform const& platform, NodeId node, std::uint32_t card);
/// Returns a number above all places.
[[nodiscard]] std::size_t positions_of(Platform const& platform);
/// Returns why the fabric cannot join the nodes, and what to do; empty if it can.
[[nodiscard]] std::string misfit(Platform const& platform);
/// Returns true if messages choose their routes by the loads of links.
[[nodiscard]] bool is_adaptive(Fabric const& fabric);
/// Multiplies bandwidths and latencies of its links.
void multiply(Fabric& fabric, double bandwidth_factor, double latency_factor);

}  // namespace factosim
