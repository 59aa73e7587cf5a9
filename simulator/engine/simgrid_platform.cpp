#include "simulator/engine/simgrid_platform.hpp"

#include <fmt/format.h>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>

namespace factosim {

namespace {

namespace s4u = simgrid::s4u;
using Links = std::vector<s4u::LinkInRoute>;

/// All nodes in one zone, which asks the topology for routes: SimGrid stores none.
class NetworkZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  NetworkZone(std::string const& name, Topology const& topology) : NetZoneImpl(name), topology_(topology) {}

  /// In the order of the topology's links.
  void add_link(s4u::Link const* link) { links_.push_back(link->get_impl()); }

 private:
  // Nodes were added in their order, so that SimGrid's ids are theirs.
  void get_local_route(simgrid::kernel::routing::NetPoint const* from,
                       simgrid::kernel::routing::NetPoint const* to, simgrid::kernel::routing::Route* into,
                       double* /*latency*/) override {
    Topology::RouteBuffer scratch;
    auto const ram = [&](auto const* point) {
      return topology_.ram_of(NodeId{static_cast<std::uint32_t>(point->id())});
    };
    for (std::uint32_t const link : topology_.route(ram(from), ram(to), scratch).links)
      into->link_list_.push_back(links_[link]);
  }

  Topology const& topology_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;
};

class PlatformBuilder {
 public:
  explicit PlatformBuilder(Topology const& topology)
      : topology_(topology),
        links_(topology.links().size(), nullptr),
        root_(s4u::create_full_zone("factosim")) {}

  SimGridHosts build() {
    hosts_.in_node.resize(topology_.memory_node_count(), nullptr);
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n)
      if (topology_.memory_nodes_of(NodeId{n}) > 1) build_bus(NodeId{n});
    build_network();
    root_->seal();
    return std::move(hosts_);
  }

 private:
  /// The link, made in `zone` when first asked for. Latency between nodes is spent outside SimGrid.
  s4u::Link* link(s4u::NetZone* zone, std::uint32_t index, bool with_latency) {
    if (links_[index] == nullptr) {
      LinkSpec const& spec = topology_.links()[index];
      links_[index] = zone->create_link(fmt::format("link:{}:{}", index, spec.name), spec.bandwidth.value)
                          ->set_latency(with_latency ? spec.latency.value : 0.0);
      if (!topology_.is_shared(index)) links_[index]->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
      links_[index]->seal();
    }
    return links_[index];
  }

  /// After the buses: all links that are left lie between nodes.
  void build_network() {
    auto* const zone = new NetworkZone("core", topology_);  // SimGrid deletes it
    zone->get_iface()->set_parent(root_);
    for (std::uint32_t l = 0; l < links_.size(); ++l) zone->add_link(link(zone->get_iface(), l, false));
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n)
      hosts_.in_network.push_back(zone->get_iface()->create_host(fmt::format("node:{}", n), 1.0)->seal());
    zone->get_iface()->seal();
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
        for (std::uint32_t const l : route) links.emplace_back(link(zone, l, true));
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
