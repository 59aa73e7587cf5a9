#include "platforms/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace factosim {

namespace {

constexpr double max_links = 2e7;  // each takes memory

/// Calls `use` with a fabric of groups.
template <class AnyFabric, class Use>
void if_groups(AnyFabric& fabric, Use const& use) {
  if (auto* const d = std::get_if<Dragonfly>(&fabric)) use(*d);
  if (auto* const d = std::get_if<DragonflyPlus>(&fabric)) use(*d);
}

/// Links inside a group, in both directions.
double local_links(Dragonfly const& d) { return double{1} * d.switches * (d.switches - 1); }
double local_links(DragonflyPlus const& d) { return 2.0 * d.leaves * d.spines; }

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
  if_groups(fabric, [&](auto const& d) {
    double const groups = groups_of(d, cards);
    out = groups * local_links(d) + groups * (groups - 1) * d.global_links;
  });
  return out;
}

std::uint32_t most_cards(Platform const& platform) {
  std::uint32_t most = 1;
  for (NodeType const& type : platform.types) most = std::max(most, type.nics);
  return most;
}

/// Returns how many nodes share a switch.
std::uint32_t nodes_together(Fabric const& fabric) {
  std::uint32_t out = 1;
  if (auto const* const tree = std::get_if<FatTree>(&fabric)) out = tree->levels.front().down;
  if_groups(fabric, [&](auto const& d) { out = cards_at_switch(d); });
  return out;
}

/// Returns why the groups cannot join so many cards; empty if they can.
std::string too_small(Fabric const& fabric, std::size_t cards) {
  double room = std::numeric_limits<double>::infinity();
  if_groups(fabric, [&](auto const& d) {
    room = double{1} * groups_of(d, cards) * switches_of_group(d) * cards_at_switch(d);
  });
  if (static_cast<double>(cards) <= room) return {};
  return fmt::format(
      "has a {} with room for {:.0f} cards, and the nodes have {} (each card needs a port of a switch). Use "
      "fewer nodes, or more \"groups\"",
      name_of_fabric(fabric), room, cards);
}

/// Returns why messages cannot cross the links inside the nodes; empty if they can.
std::string misfit_inside(Platform const& platform) {
  if (platform.network.gpu_direct == GpuDirect::none) return {};
  if (platform.network.routes)
    return "has \"gpu_direct\" and routes of a SimGrid file (which join hosts, not GPUs). Remove one of them";
  for (NodeType const& type : platform.types)
    for (std::size_t g = 0; g < type.gpu_memory_count(); ++g)
      for (std::size_t c = 0; c < type.nics; ++c) {
        Bus::CardRoute const route = card_route_of(type, c, type.memory_of_gpu(g));
        if (std::size_t const links = std::max(route.out.size(), route.in.size()); links > most_card_links)
          return fmt::format(
              "has \"gpu_direct\", and {} links between a GPU of {} and its card nic{} (messages have room "
              "for {}). Join links, or remove \"gpu_direct\"",
              links, type.name, c, most_card_links);
      }
  return {};
}

}  // namespace

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
  if (std::string const why = misfit_inside(platform); !why.empty()) return why;
  if (platform.network.routes) return {};
  if (std::string small = too_small(fabric, cards); !small.empty()) return small;
  if (double const links = links_of(fabric, cards); links > max_links)
    return fmt::format(
        "has {:.3g} links between its switches (at most {:.0g} fit into memory). Use fewer nodes, links or "
        "switches",
        links, max_links);
  return {};
}

Bus::CardRoute card_route_of(NodeType const& type, std::size_t card, std::size_t memory) {
  auto const& described = type.bus.card_routes;
  if (card < described.size() && memory < described[card].size() && !described[card][memory].out.empty())
    return described[card][memory];
  std::size_t const first_gpu = type.ram_count(), memories = type.memory_node_count();
  if (memory < first_gpu || memory >= first_gpu + type.gpu_memory_count()) return {};
  // Over the RAM, and from there to the card.
  Bus::CardRoute const ram = card_route_of(type, card, 0);
  Bus::CardRoute out{type.bus.routes[memory * memories], ram.in};
  out.out.insert(out.out.end(), ram.out.begin(), ram.out.end());
  auto const& last = type.bus.routes[memory];
  out.in.insert(out.in.end(), last.begin(), last.end());
  return out;
}

std::size_t memory_beside_card(NodeType const& type, std::size_t card) {
  std::vector<std::size_t> nearest;
  std::size_t fewest = card_route_of(type, card, 0).in.size();
  for (std::size_t g = 0; g < type.gpu_memory_count(); ++g) {
    std::size_t const links = card_route_of(type, card, type.memory_of_gpu(g)).in.size();
    if (links > fewest) continue;
    if (links < fewest) nearest.clear();
    fewest = links;
    nearest.push_back(type.memory_of_gpu(g));
  }
  return nearest.empty() ? 0 : nearest[card % nearest.size()];
}

bool receives_on_gpus(NetworkSpec const& network, NodeType const& type) {
  if (network.gpu_direct != GpuDirect::both) return false;
  for (std::size_t c = 0; c < type.nics; ++c)
    if (memory_beside_card(type, c) == 0) return false;
  return true;
}

std::string name_of_fabric(Fabric const& fabric) {
  static constexpr std::array names{"switch", "fat tree", "dragonfly", "dragonfly+"};
  return names[fabric.index()];
}

bool is_adaptive(Fabric const& fabric) {
  return std::visit(
      [](auto const& f) {
        if constexpr (requires { f.routing; })
          return f.routing == Routing::adaptive;
        else
          return false;
      },
      fabric);
}

void multiply(Fabric& fabric, double bandwidth_factor, double latency_factor) {
  auto const change = [&](LinkRate& rate) {
    rate.bandwidth.value *= bandwidth_factor;
    rate.latency.value *= latency_factor;
  };
  if (auto* const tree = std::get_if<FatTree>(&fabric))
    for (FatTreeLevel& level : tree->levels) change(level.uplink);
  if_groups(fabric, [&](auto& d) {
    change(d.local);
    change(d.global);
  });
}

}  // namespace factosim
