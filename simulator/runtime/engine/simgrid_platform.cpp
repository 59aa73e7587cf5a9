#include "simulator/runtime/engine/simgrid_platform.hpp"

#include <fmt/format.h>

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>

namespace factosim {

namespace {

namespace s4u = simgrid::s4u;

/// One zone with all memory nodes. It takes routes from the topology, so that SimGrid stores none.
class MemoryZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  MemoryZone(std::string const& name, Topology const& topology, Topology::Path const& path)
      : NetZoneImpl(name), topology_(topology), path_(path) {}

  /// In the order of the topology's links.
  void add_link(s4u::Link const* link) { links_.push_back(link->get_impl()); }

 private:
  // Memory nodes were added in order, so that SimGrid's ids equal theirs.
  void get_local_route(simgrid::kernel::routing::NetPoint const* from,
                       simgrid::kernel::routing::NetPoint const* to, simgrid::kernel::routing::Route* into,
                       double* /*latency*/) override {
    Topology::RouteBuffer scratch;
    auto const memory = [](auto const* point) {
      return MemoryNodeId{static_cast<std::uint32_t>(point->id())};
    };
    for (std::uint32_t const link : topology_.route(memory(from), memory(to), scratch, path_).links)
      into->link_list_.push_back(links_[link]);
  }

  Topology const& topology_;
  Topology::Path const& path_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;
};

}  // namespace

std::vector<s4u::Host*> build_simgrid_platform(Topology const& topology, Topology::Path const& path) {
  auto* const root = s4u::create_full_zone("factosim");
  auto* const memory = new MemoryZone("memory", topology, path);  // SimGrid deletes it
  s4u::NetZone* const zone = memory->get_iface();
  zone->set_parent(root);
  for (std::uint32_t l = 0; l < topology.links().size(); ++l) {
    LinkSpec const& spec = topology.links()[l];
    s4u::Link* const link =
        zone->create_link(fmt::format("link:{}:{}", l, spec.name), spec.rate.bandwidth.value);
    link->set_latency(0);
    if (!topology.is_shared(l)) link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    link->seal();
    memory->add_link(link);
  }
  std::vector<s4u::Host*> hosts;
  for (std::uint32_t m = 0; m < topology.memory_node_count(); ++m)
    hosts.push_back(zone->create_host("memory:" + topology.name_of(MemoryNodeId{m}), 1.0)->seal());
  zone->seal();
  root->seal();
  return hosts;
}

}  // namespace factosim
