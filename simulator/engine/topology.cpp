#include "simulator/engine/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "platforms/fabric.hpp"

namespace factosim {

Topology::Topology(Platform const& platform)
    : efficiency_(platform.network.efficiency), table_(platform.network.routes) {
  first_.push_back(0);
  first_port_.push_back(0);
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
  longest_route_ = RouteBuffer().links.size();
  for (Subnet const& subnet : platform.network.subnets) {
    subnets_.push_back({.up = add_link(subnet.name + ":up", subnet.uplink),
                        .down = add_link(subnet.name + ":down", subnet.uplink)});
  }
  FACTOSIM_EXPECT(subnets_.empty() || std::holds_alternative<std::monostate>(platform.network.fabric),
                  "a fabric excludes subnets");
  fabric_ =
      make_fabric_routes(platform.network.fabric, positions_of(platform),
                         [this](std::string name, LinkRate rate) { return add_link(std::move(name), rate); });
  chooses_paths_ = is_adaptive(platform.network.fabric);
  LinkRate const backbone = platform.network.backbone;
  backbone_latency_ = backbone.latency;
  double all_nics = 0;
  for (std::uint32_t const type : platform.nodes)
    all_nics += platform.types[type].nic.bandwidth.value * platform.types[type].nics;
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
  for (std::uint32_t c = 0; c < type.nics; ++c) {
    std::string const name = c == 0 ? std::to_string(node.value()) : fmt::format("{}.{}", node.value(), c);
    ports_.push_back({.up = add_link(name + ":up", type.nic),
                      .down = add_link(name + ":down", type.nic),
                      .subnet = subnet,
                      .position = position_of(platform, node, c)});
  }
  first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
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

Topology::Route Topology::route(MemoryNodeId from, MemoryNodeId to, RouteBuffer& scratch, Path path) const {
  NodeId const a = node_of(from);
  NodeId const b = node_of(to);
  std::span<std::uint32_t const> const links =
      a == b ? bus_route(from, to) : network_route(a, b, path, scratch);
  FACTOSIM_ALWAYS(!links.empty(), "a transfer between two memory nodes that no route joins");
  if (a != b && table_) return {links, table_->latency[table_->route_between(a.index(), b.index())]};
  Route route{links, {}};
  for (std::uint32_t const link : links) route.latency += links_[link].rate.latency;
  if (a == b) return route;
  auto const [out, in] = cards(a, b);
  if (path == any_path && chooses_paths())
    route.latency += fabric_->least_latency(position(out), position(in));
  // Messages over the core switch pay the backbone's latency even if its link was omitted.
  if (!backbone_ && crosses_core(ports_[out], ports_[in])) route.latency += backbone_latency_;
  return route;
}

bool Topology::crosses_core(Port const& a, Port const& b) const {
  if (fabric_) return fabric_->crosses_core(a.position, b.position);
  return !a.subnet || a.subnet != b.subnet;
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

std::span<std::uint32_t const> Topology::network_route(NodeId a, NodeId b, Path path,
                                                       RouteBuffer& scratch) const {
  if (table_) return table_->links_of(table_->route_between(a.index(), b.index()));
  auto const [out, in] = cards(a, b);
  Port const &from = ports_[out], &to = ports_[in];
  bool const over_core = crosses_core(from, to);
  bool const certain_only = path == any_path && chooses_paths();
  scratch.count = 0;
  scratch.add(from.up);
  if (fabric_ && path == any_path) path = fabric_->static_path(from.position, to.position);
  if (fabric_ && !certain_only) fabric_->up(from.position, to.position, path, scratch);
  if (over_core && from.subnet) scratch.add(subnets_[*from.subnet].up);
  if (over_core && backbone_) scratch.add(*backbone_);
  if (over_core && to.subnet) scratch.add(subnets_[*to.subnet].down);
  if (fabric_ && !certain_only) fabric_->down(from.position, to.position, path, scratch);
  scratch.add(to.down);
  return {scratch.links.data(), scratch.count};
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
