#include "simulator/app/pairwise_bus.hpp"

#include <fmt/format.h>

#include "simulator/core/error.hpp"

namespace factosim {

Bus pairwise_bus(std::size_t memories,
                 std::function<std::optional<LinkFit>(std::size_t, std::size_t)> const& link) {
  Bus bus;
  if (memories == 1) return bus;
  std::size_t const m = memories;
  bus.routes.resize(m * m);
  bus.predicted_bandwidth.assign(m * m, BytesPerSecond{0});
  bus.predicted_latency.assign(m * m, Seconds{0});
  for (std::size_t from = 0; from < m; ++from)
    for (std::size_t to = 0; to < m; ++to) {
      if (from == to) continue;
      auto const fit = link(from, to);
      FACTOSIM_EXPECT(fit || (from != 0 && to != 0), "the RAM is joined with all other memory nodes");
      if (!fit) continue;
      bus.routes[from * m + to] = {static_cast<std::uint32_t>(bus.links.size())};
      bus.links.push_back({fmt::format("{}-{}", from, to), fit->bandwidth, fit->latency});
      bus.predicted_bandwidth[from * m + to] = fit->bandwidth;
      bus.predicted_latency[from * m + to] = fit->latency;
    }
  for (std::size_t from = 1; from < m; ++from)
    for (std::size_t to = 1; to < m; ++to) {
      if (from == to || !bus.routes[from * m + to].empty()) continue;
      auto& b = bus.predicted_bandwidth;
      b[from * m + to] = BytesPerSecond{1 / (1 / b[from * m].value + 1 / b[to].value)};
      bus.predicted_latency[from * m + to] = bus.predicted_latency[from * m] + bus.predicted_latency[to];
    }
  return bus;
}

}  // namespace factosim
