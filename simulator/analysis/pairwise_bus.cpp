#include "simulator/analysis/pairwise_bus.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Between GPUs without a link: two transfers in sequence, through the RAM.
void predict_over_ram(Bus& bus, std::size_t m) {
  auto& bandwidth = bus.predicted_bandwidth;
  auto& latency = bus.predicted_latency;
  for (std::size_t from = 1; from < m; ++from)
    for (std::size_t to = 1; to < m; ++to) {
      if (from == to || !bus.routes[from * m + to].empty()) continue;
      bandwidth[from * m + to] = {1 / (1 / bandwidth[from * m].value + 1 / bandwidth[to].value)};
      latency[from * m + to] = latency[from * m] + latency[to];
    }
}

}  // namespace

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
  predict_over_ram(bus, m);
  return bus;
}

}  // namespace factosim
