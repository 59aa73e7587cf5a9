#include "platforms/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

constexpr double max_links = 2e7;  // each takes memory

/// Returns how many links the switches have, in both directions.
double links_of(Fabric const& fabric, std::size_t cards) {
  double out = 0;
  if (auto const* const tree = std::get_if<FatTree>(&fabric)) {
    double below = 1, switches = 1;
    for (FatTreeLevel const& l : tree->levels) {
      below *= l.down;
      out += 2 * std::ceil(static_cast<double>(cards) / below) * switches * l.up * l.parallel;
      switches *= l.up;
    }
  }
  if (auto const* const d = std::get_if<Dragonfly>(&fabric)) {
    double const groups = groups_of(*d, cards), switches = d->switches;
    out = groups * switches * (switches - 1) + groups * (groups - 1) * d->global_links;
  }
  return out;
}

std::uint32_t most_cards(Platform const& platform) {
  std::uint32_t most = 1;
  for (NodeType const& type : platform.types) most = std::max(most, type.nics);
  return most;
}

/// Returns how many nodes share a switch.
std::uint32_t nodes_together(Fabric const& fabric) {
  if (auto const* const tree = std::get_if<FatTree>(&fabric)) return tree->levels.front().down;
  if (auto const* const d = std::get_if<Dragonfly>(&fabric)) return d->nodes_per_switch;
  return 1;
}

}  // namespace

std::uint32_t groups_of(Dragonfly const& d, std::size_t cards) {
  if (d.groups > 0) return d.groups;
  std::size_t const in_group = std::size_t{d.switches} * d.nodes_per_switch;
  return static_cast<std::uint32_t>((cards + in_group - 1) / in_group);
}

std::uint32_t position_of(Platform const& platform, NodeId node, std::uint32_t card) {
  std::uint32_t const cards = most_cards(platform), together = nodes_together(platform.network.fabric);
  return (node.value() / together * cards + card) * together + node.value() % together;
}

std::size_t positions_of(Platform const& platform) {
  std::size_t const nodes = platform.nodes.size(), together = nodes_together(platform.network.fabric);
  std::uint32_t const cards = most_cards(platform);
  return cards == 1 ? nodes : (nodes + together - 1) / together * together * cards;
}

std::string misfit(Platform const& platform) {
  Fabric const& fabric = platform.network.fabric;
  std::size_t const cards = positions_of(platform);
  if (auto const* const d = std::get_if<Dragonfly>(&fabric)) {
    double const room = double{1} * groups_of(*d, cards) * d->switches * d->nodes_per_switch;
    if (static_cast<double>(cards) > room)
      return fmt::format(
          "has a dragonfly with room for {:.0f} cards, and the nodes have {} (each card needs a port of a "
          "switch). Use "
          "fewer nodes, or more \"groups\"",
          room, cards);
  }
  if (double const links = links_of(fabric, cards); links > max_links)
    return fmt::format(
        "has {:.3g} links between its switches (at most {:.0g} fit into memory). Use fewer nodes, links or "
        "switches",
        links, max_links);
  return {};
}

bool is_adaptive(Fabric const& fabric) {
  auto const* const tree = std::get_if<FatTree>(&fabric);
  auto const* const d = std::get_if<Dragonfly>(&fabric);
  return (tree != nullptr ? tree->routing
          : d != nullptr  ? d->routing
                          : Routing::minimal) == Routing::adaptive;
}

void multiply(Fabric& fabric, double bandwidth_factor, double latency_factor) {
  auto const change = [&](LinkRate& rate) {
    rate.bandwidth.value *= bandwidth_factor;
    rate.latency.value *= latency_factor;
  };
  if (auto* const tree = std::get_if<FatTree>(&fabric))
    for (FatTreeLevel& level : tree->levels) change(level.uplink);
  if (auto* const d = std::get_if<Dragonfly>(&fabric)) {
    change(d->local);
    change(d->global);
  }
}

}  // namespace factosim
