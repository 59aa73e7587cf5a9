#include "simulator/engine/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

Topology::Topology(Platform const& platform) : table_(platform.network.routes) {
  first_.push_back(0);
  FACTOSIM_EXPECT(!table_ || table_->hosts.size() == platform.nodes.size(),
                  "a table of routes is for other nodes");
  if (table_)
    add_table();
  else
    add_core(platform);
  for (std::uint32_t n = 0; n < platform.nodes.size(); ++n) add_node(NodeId{n}, platform);
}

std::uint32_t Topology::add_link(std::string name, LinkRate rate) {
  links_.push_back({std::move(name), rate});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void Topology::add_table() {
  for (RouteTable::Link const& link : table_->links) {
    add_link(link.name, {link.bandwidth, {}});  // the table has the latencies of routes
    has_unshared_links_ |= !link.shared;
  }
  for (std::uint32_t r = 0; r < table_->latency.size(); ++r)
    longest_route_ = std::max(longest_route_, table_->links_of(r).size());
}

void Topology::add_core(Platform const& platform) {
  longest_route_ = RouteBuffer().size();
  for (Subnet const& subnet : platform.network.subnets) {
    subnets_.push_back({.up = add_link(subnet.name + ":up", subnet.uplink),
                        .down = add_link(subnet.name + ":down", subnet.uplink)});
  }
  fat_tree_ = platform.network.fat_tree;
  if (fat_tree_) {
    FACTOSIM_EXPECT(subnets_.empty(), "a fat tree excludes subnets");
    std::size_t const leaves =
        (platform.nodes.size() + fat_tree_->nodes_per_leaf - 1) / fat_tree_->nodes_per_leaf;
    for (std::size_t l = 0; l < leaves; ++l)
      for (std::uint32_t u = 0; u < fat_tree_->uplinks; ++u)
        leaf_links_.push_back({.up = add_link(fmt::format("leaf{}:up{}", l, u), fat_tree_->uplink),
                               .down = add_link(fmt::format("leaf{}:down{}", l, u), fat_tree_->uplink)});
  }
  LinkRate const backbone = platform.network.backbone;
  backbone_latency_ = backbone.latency;
  double all_nics = 0;
  for (std::uint32_t const type : platform.nodes) all_nics += platform.types[type].nic.bandwidth.value;
  // A backbone as fast as all NICs together never limits: its link would only cost simulation time.
  if (backbone.bandwidth.value > 0 && backbone.bandwidth.value < all_nics)
    backbone_ = add_link("backbone", backbone);
}

void Topology::add_port(NodeId node, Platform const& platform) {
  NodeType const& type = platform.type_of(node);
  std::optional<std::uint32_t> subnet;
  for (std::uint32_t s = 0; s < subnets_.size(); ++s)
    if (platform.network.subnets[s].name == type.subnet) subnet = s;
  FACTOSIM_EXPECT(type.subnet.empty() || subnet, "a node type names a subnet that is not there");
  ports_.push_back({.up = add_link(fmt::format("{}:up", node.value()), type.nic),
                    .down = add_link(fmt::format("{}:down", node.value()), type.nic),
                    .subnet = subnet});
}

void Topology::add_node(NodeId node, Platform const& platform) {
  NodeType const& type = platform.type_of(node);
  if (!table_) add_port(node, platform);
  auto const memories = static_cast<std::uint32_t>(type.memory_node_count());
  node_of_.insert(node_of_.end(), memories, node);
  for (std::size_t m = 0; m < memories; ++m) {
    is_ram_.push_back(m < type.ram_count());
    is_disk_.push_back(type.is_disk(m));
  }
  first_.push_back(first_.back() + memories);

  auto const first_link = static_cast<std::uint32_t>(links_.size());
  for (LinkSpec const& link : type.bus.links)
    add_link(fmt::format("{}:{}", node.value(), link.name), link.rate);
  bus_route_first_.push_back(static_cast<std::uint32_t>(bus_route_begin_.size()));
  for (auto const& route : type.bus.routes) {
    bus_route_begin_.push_back(static_cast<std::uint32_t>(bus_links_.size()));
    for (std::uint32_t const link : route) bus_links_.push_back(first_link + link);
    longest_route_ = std::max(longest_route_, route.size());
  }
  bus_route_begin_.push_back(static_cast<std::uint32_t>(bus_links_.size()));
}

Topology::Route Topology::route(MemoryNodeId from, MemoryNodeId to, RouteBuffer& scratch) const {
  NodeId const a = node_of(from);
  NodeId const b = node_of(to);
  std::span<std::uint32_t const> const links = a == b ? bus_route(from, to) : network_route(a, b, scratch);
  FACTOSIM_ALWAYS(!links.empty(), "a transfer between two memory nodes that no route joins");
  if (a != b && table_) return {links, table_->latency[table_->route_between(a.index(), b.index())]};
  Route route{links, {}};
  for (std::uint32_t const link : links) route.latency += links_[link].rate.latency;
  // Messages over the core switch pay the backbone's latency even if its link was omitted.
  if (a != b && crosses_core(a, b) && !backbone_) route.latency += backbone_latency_;
  return route;
}

bool Topology::crosses_core(NodeId a, NodeId b) const {
  if (fat_tree_) return leaf_of(a) != leaf_of(b);
  return !port(a).subnet || port(a).subnet != port(b).subnet;
}

std::span<std::uint32_t const> Topology::bus_route(MemoryNodeId from, MemoryNodeId to) const {
  NodeId const node = node_of(from);
  if (memory_nodes_of(node) == 1) return {};
  std::size_t const memories = memory_nodes_of(node);
  std::uint32_t const first = first_[node.index()];
  std::uint32_t const* begin = bus_route_begin_.data() + bus_route_first_[node.index()] +
                               (from.value() - first) * memories + (to.value() - first);
  return {bus_links_.data() + begin[0], bus_links_.data() + begin[1]};
}

/// Returns the links between the switch of a node and the core that a message to `destination` takes; none for a
/// node on the core switch.
std::optional<Topology::UpAndDown> Topology::uplink(NodeId node, NodeId destination) const {
  if (fat_tree_)
    return leaf_links_[leaf_of(node) * fat_tree_->uplinks + destination.value() % fat_tree_->uplinks];
  auto const subnet = port(node).subnet;
  return subnet ? std::optional(subnets_[*subnet]) : std::nullopt;
}

std::span<std::uint32_t const> Topology::network_route(NodeId a, NodeId b, RouteBuffer& scratch) const {
  if (table_) return table_->links_of(table_->route_between(a.index(), b.index()));
  Port const& from = ports_[a.index()];
  Port const& to = ports_[b.index()];
  std::size_t count = 0;
  scratch[count++] = from.up;
  if (crosses_core(a, b)) {
    if (auto const out = uplink(a, b)) scratch[count++] = out->up;
    if (backbone_) scratch[count++] = *backbone_;
    if (auto const in = uplink(b, b)) scratch[count++] = in->down;
  }
  scratch[count++] = to.down;
  return {scratch.data(), count};
}

std::string Topology::name_of(MemoryNodeId m) const {
  NodeId const node = node_of(m);
  std::uint32_t const first = first_[node.index()];
  std::uint32_t rams = 1;
  while (first + rams < first_[node.index() + 1] && is_ram_[first + rams]) ++rams;
  std::uint32_t const local = m.value() - first;
  if (local == 0) return fmt::format("{}:ram", node.value());
  if (is_disk(m)) return fmt::format("{}:disk", node.value());
  return local < rams ? fmt::format("{}:ram{}", node.value(), local)
                      : fmt::format("{}:cuda{}", node.value(), local - rams);
}

}  // namespace factosim
