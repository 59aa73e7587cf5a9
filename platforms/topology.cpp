#include "platforms/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "platforms/fabric.hpp"

namespace factosim {

Topology::Topology(Platform const& platform)
    : efficiency_(platform.network.efficiency),
      gpu_direct_(platform.network.gpu_direct),
      table_(platform.network.routes) {
  first_.push_back(0);
  first_port_.push_back(0);
  FACTOSIM_EXPECT(!table_ || table_->hosts.size() == platform.nodes.size(),
                  "a table of routes is for other nodes");
  if (table_)
    add_table();
  else
    add_core(platform);
  for (std::uint32_t n = 0; n < platform.nodes.size(); ++n) add_node(NodeId{n}, platform);
  if (!table_) add_cards(platform);
}

std::uint32_t Topology::add_link(std::string name, LinkRate rate) {
  links_.push_back({std::move(name), rate});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void Topology::add_table() {
  for (RouteTable::Link const& link : table_->links)
    add_link(link.name, {link.bandwidth, {}});  // the table has the latencies of routes
  for (std::uint32_t r = 0; r < table_->latency.size(); ++r)
    longest_route_ = std::max(longest_route_, table_->links_of(r).size());
}

void Topology::add_core(Platform const& platform) {
  longest_route_ = RouteBuffer::of_network;
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
  first_bus_link_.push_back(first_link);
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

namespace {

/// Returns the cards with the fewest links.
std::vector<std::uint32_t> nearest_of(std::vector<Bus::CardRoute> const& routes,
                                      std::vector<std::uint32_t> Bus::CardRoute::*links) {
  std::vector<std::uint32_t> nearest;
  for (std::uint32_t c = 0; c < routes.size(); ++c) {
    std::size_t const length = (routes[c].*links).size();
    if (!nearest.empty() && length > (routes[nearest.front()].*links).size()) continue;
    if (!nearest.empty() && length < (routes[nearest.front()].*links).size()) nearest.clear();
    nearest.push_back(c);
  }
  return nearest;
}

}  // namespace

void Topology::add_cards(Platform const& platform) {
  routes_to_cards_ =
      gpu_direct_ != GpuDirect::none || std::ranges::any_of(platform.types, [](NodeType const& type) {
        return std::ranges::any_of(type.bus.card_routes, [](auto const& of_card) {
          return !of_card.empty() && !of_card.front().out.empty();
        });
      });
  if (!routes_to_cards_) return;
  type_of_ = platform.nodes;
  std::size_t longest = 0, gpus = 0;
  Seconds latencies{0};
  for (NodeType const& type : platform.types) {
    std::size_t const memories = type.memory_node_count();
    Cards& cards = cards_.emplace_back();
    cards.routes.resize(memories);
    for (std::size_t c = 0; c < type.nics; ++c) {
      cards.arrival.push_back(static_cast<std::uint32_t>(memory_beside_card(type, c)));
      for (std::size_t m = 0; m < memories; ++m) {
        Bus::CardRoute const& route = cards.routes[m].emplace_back(card_route_of(type, c, m));
        longest = std::max({longest, route.out.size(), route.in.size()});
      }
    }
    for (std::size_t m = 0; m < memories; ++m) {
      cards.nearest_out.push_back(nearest_of(cards.routes[m], &Bus::CardRoute::out));
      cards.nearest_in.push_back(nearest_of(cards.routes[m], &Bus::CardRoute::in));
      if (m == 0 || m >= type.ram_count())
        cards.certain = cards.certain && cards.nearest_out[m].size() == type.nics &&
                        cards.nearest_in[m].size() == type.nics;
    }
    for (std::size_t m = type.ram_count(); m < type.ram_count() + type.gpu_memory_count(); ++m)
      for (std::size_t const route : {m, m * memories}) {
        for (std::uint32_t const link : type.bus.routes[route])
          latencies += type.bus.links[link].rate.latency;
        ++gpus;
      }
  }
  longest_route_ = std::max(longest_route_, RouteBuffer::of_network + 2 * longest);
  // Copies have the weight 1 / latency, and all messages the same weight, so that these share the network equally.
  if (latencies.value > 0) message_weight_ = static_cast<double>(gpus) / latencies.value;
}

Topology::Route Topology::route(MemoryNodeId from, MemoryNodeId to, RouteBuffer& scratch, Path path) const {
  NodeId const a = node_of(from);
  NodeId const b = node_of(to);
  if (a == b) {
    Route route{bus_route(from, to), {}};
    FACTOSIM_ALWAYS(!route.links.empty(), "a transfer between two memory nodes that no route joins");
    for (std::uint32_t const link : route.links) route.latency += links_[link].rate.latency;
    return route;
  }
  if (table_) {
    std::uint32_t const number = table_->route_between(a.index(), b.index());
    return {table_->links_of(number), table_->latency[number]};
  }
  auto const [out, in] = cards(from, to);
  scratch.count = 0;
  if (routes_to_cards_)
    for (std::uint32_t const link : card_route(from, out).out) scratch.add(first_bus_link_[a.index()] + link);
  auto const before = static_cast<std::uint32_t>(scratch.count);
  Route route = network_route(out, in, path, path == any_path && chooses_paths(), scratch);
  if (!routes_to_cards_) return route;
  auto const& behind = card_route(to, in).in;
  for (std::uint32_t const link : behind) scratch.add(first_bus_link_[b.index()] + link);
  return {{scratch.links.data(), scratch.count},
          route.latency,
          before,
          static_cast<std::uint32_t>(behind.size())};
}

Topology::Route Topology::certain_route(NodeId a, NodeId b, RouteBuffer& scratch) const {
  if (gpu_direct_ == GpuDirect::none) return route(ram_of(a), ram_of(b), scratch);
  bool const sender = cards_are_certain(a), receiver = sender && cards_are_certain(b);
  auto const [out_card, in_card] = cards(ram_of(a), ram_of(b));
  std::uint32_t const first_out = sender ? out_card : first_port_[a.index()],
                      end_out = sender ? out_card + 1 : first_port_[a.index() + 1],
                      first_in = receiver ? in_card : first_port_[b.index()],
                      end_in = receiver ? in_card + 1 : first_port_[b.index() + 1];
  auto const over = [&](std::uint32_t out, std::uint32_t in) {
    scratch.count = 0;
    return network_route(out, in, any_path, chooses_paths() || (fabric_ && !(sender && receiver)), scratch);
  };
  std::uint32_t fewest_out = first_out, fewest_in = first_in;
  std::size_t fewest = SIZE_MAX;
  Seconds least{std::numeric_limits<double>::infinity()};
  for (std::uint32_t out = first_out; out < end_out; ++out)
    for (std::uint32_t in = first_in; in < end_in; ++in) {
      Route const route = over(out, in);
      least = std::min(least, route.latency);
      if (route.links.size() >= fewest) continue;
      fewest = route.links.size();
      fewest_out = out;
      fewest_in = in;
    }
  Route route = over(fewest_out, fewest_in);
  std::size_t const first = sender ? 0 : 1, last = receiver ? 0 : 1;
  return {route.links.subspan(first, route.links.size() - first - last), least};
}

Seconds Topology::least_time(NodeId from, NodeId to, Bytes size) const {
  RouteBuffer scratch;
  Route const route = certain_route(from, to, scratch);
  double slowest = seconds_per_byte(route.links);
  if (gpu_direct_ != GpuDirect::none)  // all cards of a node are alike
    for (std::uint32_t const link : {port(from).up, port(to).down})
      slowest = std::max(slowest, 1 / links_[link].rate.bandwidth.value);
  return route.latency + Seconds{static_cast<double>(efficiency_.carried(size).value) * slowest};
}

double Topology::seconds_per_byte(std::span<std::uint32_t const> links) const {
  double slowest = 0;
  for (std::uint32_t const link : links) {
    auto const crossings = is_shared(link) ? static_cast<double>(std::ranges::count(links, link)) : 1.0;
    slowest = std::max(slowest, crossings / links_[link].rate.bandwidth.value);
  }
  return slowest;
}

LocalMemory Topology::arrival(MemoryNodeId from, NodeId to) const {
  if (gpu_direct_ != GpuDirect::both) return LocalMemory{0};
  std::uint32_t const card = card_of(from, to.value(), true) - first_port_[node_of(from).index()];
  auto const& arrival = cards_[type_of_[to.index()]].arrival;
  return LocalMemory{arrival[card % arrival.size()]};
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

Topology::Route Topology::network_route(std::uint32_t out, std::uint32_t in, Path path, bool certain_only,
                                        RouteBuffer& scratch) const {
  Port const &from = ports_[out], &to = ports_[in];
  bool const over_core = crosses_core(from, to);
  std::size_t const first = scratch.count;
  scratch.add(from.up);
  if (fabric_ && path == any_path) path = fabric_->static_path(from.position, to.position);
  if (fabric_ && !certain_only) fabric_->up(from.position, to.position, path, scratch);
  if (over_core && from.subnet) scratch.add(subnets_[*from.subnet].up);
  if (over_core && backbone_) scratch.add(*backbone_);
  if (over_core && to.subnet) scratch.add(subnets_[*to.subnet].down);
  if (fabric_ && !certain_only) fabric_->down(from.position, to.position, path, scratch);
  scratch.add(to.down);
  Route route{{scratch.links.data() + first, scratch.count - first}, {}};
  for (std::uint32_t const link : route.links) route.latency += links_[link].rate.latency;
  if (certain_only) route.latency += fabric_->least_latency(from.position, to.position);
  // Messages over the core switch pay the backbone's latency even if its link was omitted.
  if (!backbone_ && over_core) route.latency += backbone_latency_;
  return route;
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

Seconds unshared_time(Topology const& topology, MemoryNodeId from, MemoryNodeId to, Bytes size) {
  Topology::RouteBuffer scratch;
  auto const route = topology.route(from, to, scratch);
  return route.latency + Seconds{static_cast<double>(topology.carried(from, to, size).value) *
                                 topology.seconds_per_byte(route.links)};
}

}  // namespace factosim
