#include "platforms/bus_prediction.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

CopyPrediction predict_from_routes(Bus const& bus, std::size_t memory_nodes, std::size_t from,
                                   std::size_t to) {
  FACTOSIM_EXPECT(from != to, "a copy between two memory nodes");
  auto const& route = bus.routes[from * memory_nodes + to];
  if (route.empty()) {
    FACTOSIM_ALWAYS(from != 0 && to != 0, "every GPU has routes from and to the RAM");
    CopyPrediction const up = predict_from_routes(bus, memory_nodes, from, 0);
    CopyPrediction const down = predict_from_routes(bus, memory_nodes, 0, to);
    return {{1 / (1 / up.bandwidth.value + 1 / down.bandwidth.value)}, up.latency + down.latency};
  }
  CopyPrediction copy{{std::numeric_limits<double>::infinity()}, {0}};
  for (std::uint32_t link : route) {
    auto const crossings = static_cast<double>(std::count(route.begin(), route.end(), link));
    copy.bandwidth = std::min(copy.bandwidth, bus.links[link].bandwidth / crossings);
    copy.latency += bus.links[link].latency;
  }
  return copy;
}

}  // namespace factosim
