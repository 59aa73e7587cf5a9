#include "simulator/audit/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace factosim::audit {

Routes::Routes(Platform const& platform) : platform_(platform) {
  add_network();
  first_memory_.push_back(0);
  for (std::size_t n = 0; n < platform.nodes.size(); ++n) {
    NodeType const& type = platform.types[platform.nodes[n]];
    first_memory_.push_back(first_memory_.back() + type.memory_node_count());
    first_bus_.push_back(static_cast<std::uint32_t>(links_.size()));
    for (LinkSpec const& link : type.bus.links)
      add_link(fmt::format("{} of node {}", link.name, n), link.rate);
  }
}

std::uint32_t Routes::add_link(std::string name, LinkRate rate, bool shared) {
  links_.push_back({std::move(name), rate.bandwidth.value, rate.latency.value, shared});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void Routes::add_network() {
  NetworkSpec const& network = platform_.network;
  if (network.routes) {  // the first links belong to the routing table
    for (RouteTable::Link const& link : network.routes->links)
      add_link(link.name, {link.bandwidth, {}}, link.shared);
    return;
  }
  for (std::size_t n = 0; n < platform_.nodes.size(); ++n) {
    LinkRate const& nic = platform_.types[platform_.nodes[n]].nic;
    up_.push_back(add_link(fmt::format("NIC of node {}, out", n), nic));
    down_.push_back(add_link(fmt::format("NIC of node {}, in", n), nic));
  }
  auto const add_group = [&](std::string const& name, LinkRate rate) {
    group_up_.push_back(add_link(name + ", up", rate));
    group_down_.push_back(add_link(name + ", down", rate));
  };
  for (Subnet const& s : network.subnets) add_group("uplink of " + s.name, s.uplink);
  if (auto const& tree = network.fat_tree) {
    std::size_t const leaves = (platform_.nodes.size() + tree->nodes_per_leaf - 1) / tree->nodes_per_leaf;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
      for (std::uint32_t u = 0; u < tree->uplinks; ++u)
        add_group(fmt::format("uplink {} of leaf {}", u, leaf), tree->uplink);
  }
  if (network.backbone.bandwidth.value > 0)
    backbone_ = add_link("backbone", {network.backbone.bandwidth, {}});
}

std::int64_t Routes::group(NodeId node) const {
  if (auto const& tree = platform_.network.fat_tree) return node.value() / tree->nodes_per_leaf;
  std::string const& name = platform_.type_of(node).subnet;
  auto const& subnets = platform_.network.subnets;
  auto const found =
      std::find_if(subnets.begin(), subnets.end(), [&](Subnet const& s) { return s.name == name; });
  return found == subnets.end() ? -1 : found - subnets.begin();
}

Routes::Route Routes::route_over(std::vector<std::uint32_t> links, double further_latency_s) const {
  Route out{std::move(links), further_latency_s, std::numeric_limits<double>::infinity()};
  for (std::uint32_t const link : out.links) {
    auto const crossings =
        links_[link].shared ? static_cast<double>(std::count(out.links.begin(), out.links.end(), link)) : 1.0;
    out.latency_s += links_[link].latency_s;
    out.bandwidth_Bps = std::min(out.bandwidth_Bps, links_[link].bandwidth_Bps / crossings);
  }
  return out;
}

Routes::Route Routes::inside(NodeId node, std::size_t from, std::size_t to) const {
  NodeType const& type = platform_.type_of(node);
  std::size_t const memories = type.memory_node_count();
  if (from == to || from >= memories || to >= memories || type.bus.routes.size() != memories * memories)
    return {};
  std::vector<std::uint32_t> links;
  for (std::uint32_t const link : type.bus.routes[from * memories + to])
    links.push_back(first_bus_[node.index()] + link);
  return route_over(std::move(links), 0);
}

Routes::Route Routes::between(NodeId from, NodeId to) const {
  NetworkSpec const& network = platform_.network;
  if (network.routes) {
    std::uint32_t const route = network.routes->route_between(from.index(), to.index());
    auto const links = network.routes->links_of(route);
    return route_over({links.begin(), links.end()}, network.routes->latency[route].value);
  }
  std::vector<std::uint32_t> links{up_[from.index()]};
  std::int64_t const a = group(from), b = group(to);
  bool const over_core = a < 0 || b < 0 || a != b;
  if (over_core) {
    // The uplink in a fat tree depends only on the destination, on both sides.
    auto const chosen = [&](std::int64_t g) {
      return network.fat_tree ? static_cast<std::size_t>(g) * network.fat_tree->uplinks +
                                    to.value() % network.fat_tree->uplinks
                              : static_cast<std::size_t>(g);
    };
    if (a >= 0) links.push_back(group_up_[chosen(a)]);
    if (backbone_ >= 0) links.push_back(static_cast<std::uint32_t>(backbone_));
    if (b >= 0) links.push_back(group_down_[chosen(b)]);
  }
  links.push_back(down_[to.index()]);
  return route_over(std::move(links), over_core ? network.backbone.latency.value : 0);
}

}  // namespace factosim::audit
