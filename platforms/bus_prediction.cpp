#include "platforms/bus_prediction.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

LinkRate predicted_copy(Bus const& bus, std::size_t memory_nodes, std::size_t from, std::size_t to) {
  auto const& route = bus.routes[from * memory_nodes + to];
  if (route.empty()) {
    FACTOSIM_ALWAYS(from != 0 && to != 0, "every GPU has routes from and to the RAM");
    LinkRate const up = predicted_copy(bus, memory_nodes, from, 0);
    LinkRate const down = predicted_copy(bus, memory_nodes, 0, to);
    return {{1 / (1 / up.bandwidth.value + 1 / down.bandwidth.value)}, up.latency + down.latency};
  }
  LinkRate copy{{std::numeric_limits<double>::infinity()}, {0}};
  for (std::uint32_t link : route) {
    auto const crossings = static_cast<double>(std::count(route.begin(), route.end(), link));
    copy.bandwidth = std::min(copy.bandwidth, bus.links[link].rate.bandwidth / crossings);
    copy.latency += bus.links[link].rate.latency;
  }
  return copy;
}

}  // namespace

std::vector<LinkRate> predict_from_routes(Bus const& bus, std::size_t memory_nodes) {
  std::vector<LinkRate> out;
  for (std::size_t from = 0; from < memory_nodes; ++from)
    for (std::size_t to = 0; to < memory_nodes; ++to)
      out.push_back(from == to ? LinkRate{} : predicted_copy(bus, memory_nodes, from, to));
  return out;
}

}  // namespace factosim
