#include "simulator/engine/simgrid_platform.hpp"

#include <fmt/format.h>

namespace factosim {

namespace {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::LinkInRoute>;

class PlatformBuilder {
 public:
  explicit PlatformBuilder(Topology const& topology)
      : topology_(topology),
        links_(topology.links().size(), nullptr),
        root_(s4u::create_full_zone("factosim")) {}

  SimGridHosts build() {
    hosts_.in_node.resize(topology_.memory_node_count(), nullptr);
    build_network();
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n)
      if (topology_.memory_nodes_of(NodeId{n}) > 1) build_bus(NodeId{n});
    root_->seal();
    return std::move(hosts_);
  }

 private:
  /// The link, made in `zone` when first asked for. Latency between nodes is spent outside SimGrid.
  s4u::LinkInRoute link(s4u::NetZone* zone, std::uint32_t index, bool with_latency) {
    if (links_[index] == nullptr) {
      LinkSpec const& spec = topology_.links()[index];
      links_[index] = zone->create_link("link:" + spec.name, spec.bandwidth.value)
                          ->set_latency(with_latency ? spec.latency.value : 0.0)
                          ->seal();
    }
    return s4u::LinkInRoute(links_[index]);
  }

  /// A star of hosts for each switch. Where there are several, they are the leaves of one more star: SimGrid
  /// finds no right route between a host and a zone of the same zone.
  void build_network() {
    auto* const core = s4u::create_star_zone("core");
    core->set_parent(root_);
    std::vector<s4u::NetZone*> switches;  // the core switch, then the subnets
    for (std::size_t s = 0; s <= topology_.subnet_count(); ++s) switches.push_back(build_switch(core, s));
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n) {
      auto const [up, down, subnet] = topology_.port(NodeId{n});
      auto* const zone = switches[subnet ? *subnet + 1 : 0];
      auto* const host = zone->create_host(fmt::format("node:{}", n), 1.0)->seal();
      Links out{link(core, up, false)};
      if (!subnet) append_backbone(core, out);
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, out, false);
      zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, Links{link(core, down, false)}, false);
      hosts_.in_network.push_back(host);
    }
    for (s4u::NetZone* const zone : switches) zone->seal();
    core->seal();
  }

  /// The backbone belongs to the way out of each member of the core switch: every message there crosses it
  /// once.
  void append_backbone(s4u::NetZone* core, Links& way_out) {
    if (topology_.backbone()) way_out.push_back(link(core, *topology_.backbone(), false));
  }

  s4u::NetZone* build_switch(s4u::NetZone* core, std::size_t index) {
    auto* const zone = s4u::create_star_zone(fmt::format("switch:{}", index));
    zone->set_parent(core);
    auto* const gateway = zone->create_router(fmt::format("gateway:{}", index));
    zone->add_route(gateway, nullptr, nullptr, nullptr, Links{}, false);
    zone->add_route(nullptr, gateway, nullptr, nullptr, Links{}, false);
    Links out, in;
    if (index > 0) {
      auto const [up, down] = topology_.subnet_links(index - 1);
      out.push_back(link(core, up, false));
      append_backbone(core, out);
      in.push_back(link(core, down, false));
    }
    core->add_route(zone->get_netpoint(), nullptr, gateway, nullptr, out, false);
    core->add_route(nullptr, zone->get_netpoint(), nullptr, gateway, in, false);
    return zone;
  }

  void build_bus(NodeId node) {
    auto* const zone = s4u::create_full_zone(fmt::format("bus:{}", node.value()));
    zone->set_parent(root_);
    std::uint32_t const first = topology_.ram_of(node).value();
    auto const count = static_cast<std::uint32_t>(topology_.memory_nodes_of(node));
    for (std::uint32_t m = first; m < first + count; ++m)
      hosts_.in_node[m] = zone->create_host("memory:" + topology_.name_of(MemoryNodeId{m}), 1.0)->seal();
    for (std::uint32_t a = first; a < first + count; ++a)
      for (std::uint32_t b = first; b < first + count; ++b) {
        auto const route = topology_.bus_route(MemoryNodeId{a}, MemoryNodeId{b});
        if (route.empty()) continue;  // the same memory, or two GPUs that only meet in the RAM
        Links links;
        for (std::uint32_t const l : route) links.push_back(link(zone, l, true));
        zone->add_route(hosts_.in_node[a]->get_netpoint(), hosts_.in_node[b]->get_netpoint(), nullptr,
                        nullptr, links, false);
      }
    zone->seal();
  }

  Topology const& topology_;
  std::vector<s4u::Link*> links_;  // [links] made so far
  s4u::NetZone* root_;
  SimGridHosts hosts_;
};

}  // namespace

SimGridHosts build_simgrid_platform(Topology const& topology) { return PlatformBuilder(topology).build(); }

}  // namespace factosim
