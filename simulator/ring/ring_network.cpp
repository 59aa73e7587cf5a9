#include "simulator/ring/ring_network.hpp"

#include <fmt/format.h>

#include <memory>

#include "factosim/error.hpp"

namespace factosim {

std::size_t end_of_path(std::size_t p, std::size_t q) {
  std::size_t const i = p / 2;
  return p % 2 == 0 ? 2 * ((i + 1) % q) + 1 : 2 * ((i + q - 1) % q);
}

Platform ring_platform(ProcessorGraph const& graph, Ring const& ring, RingBandwidth bandwidth) {
  std::size_t const q = ring.size(), nodes = 2 * q;
  FACTOSIM_EXPECT(ring.paths.size() == nodes, "a ring without its paths");
  auto const table = std::make_shared<RouteTable>();
  for (ProcessorGraph::Link const& link : graph.links)
    table->links.push_back({.name = link.name, .bandwidth = link.bandwidth, .shared = link.shared});
  table->first.push_back(0);
  table->route.assign(nodes * nodes, 0);  // other pairs exchange no messages
  for (std::size_t p = 0; p < nodes; ++p) {
    RingPath const& path = ring.paths[p];
    table->hosts.push_back(
        fmt::format("{}:{}", graph.vertices[path.from].name, p % 2 == 0 ? "successor" : "predecessor"));
    table->latency.emplace_back();
    for (std::uint32_t const l : path.links) {
      table->crossed.push_back(l);
      table->latency.back() += graph.links[l].latency;
    }
    if (bandwidth == RingBandwidth::reserved) {
      table->crossed.push_back(static_cast<std::uint32_t>(table->links.size()));
      table->links.push_back(
          {.name = fmt::format("reserved:{}", p), .bandwidth = {path.bandwidth}, .shared = false});
    }
    table->first.push_back(static_cast<std::uint32_t>(table->crossed.size()));
    table->route[p * nodes + end_of_path(p, q)] = static_cast<std::uint32_t>(p);
  }
  Platform platform;
  platform.types.emplace_back().name = "processor";
  platform.nodes.assign(nodes, 0);
  platform.network.routes = table;
  return platform;
}

}  // namespace factosim
