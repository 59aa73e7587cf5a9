#include "platforms/message_efficiency.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/platform_limits.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_points = 1000;

ObjectKeys const& efficiency_table() {
  static ObjectKeys const table{
      .title = "efficiency",
      .meaning =
          "Bandwidth of messages by their size, relative to that of the links; in addition to latencies. A "
          "message takes "
          "its links as long as if it were larger.",
      .keys = {
          {.name = "half_bandwidth_bytes",
           .value = {rule::number(0, 1e15, "B")},
           .meaning = "size at which half of the bandwidth is reached: n / (n + this) of it for n bytes",
           .default_text = "0; excludes the others",
           .source = "Hockney, 1994, n_1/2"},
          {.name = "bytes",
           .value = {rule::array({rule::integer(1, max_bytes, "B")}, 1, max_points)},
           .meaning = "sizes that were measured, increasing",
           .default_text = "none"},
          {.name = "bandwidth_Bps",
           .value = {rule::array({rule::positive("B/s")}, 1, max_points)},
           .meaning = "bandwidth of each of these sizes; the largest is that of the links. Excess bytes are "
                      "interpolated linearly, and constant outside",
           .default_text = "none"}}};
  return table;
}

}  // namespace

Key efficiency_key() {
  return {.name = "efficiency",
          .value = {rule::object(efficiency_table)},
          .meaning = "how the bandwidth of messages depends on their size",
          .default_text = "it does not"};
}

void read_efficiency(MessageEfficiency& efficiency, JsonReader const& network) {
  auto const json = network.find("efficiency");
  if (!json) return;
  efficiency = {};
  auto const half = json->find("half_bandwidth_bytes"), bytes = json->find("bytes"),
             bandwidth = json->find("bandwidth_Bps");
  json->finish();
  if (half) efficiency.half_bandwidth_bytes = half->quantity();
  if (half && (bytes || bandwidth))
    half->fail(
        "stands beside measured sizes (either says how bandwidth depends on size). Keep "
        "\"half_bandwidth_bytes\", or "
        "\"bytes\" and \"bandwidth_Bps\"");
  if (half) return;
  auto const sizes = json->at("bytes", "sizes that were measured").elements();
  auto const rates = json->at("bandwidth_Bps", "bandwidth of each size").elements();
  if (sizes.empty() || sizes.size() > max_points)
    bytes->fail(
        fmt::format("has {} sizes (1 to {} are interpolated). Give some of them", sizes.size(), max_points));
  if (sizes.size() != rates.size())
    bandwidth->fail(fmt::format("{} bandwidths for {} sizes (each size has one). Give {}", rates.size(),
                                sizes.size(), sizes.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    efficiency.measured.emplace_back(Bytes{sizes[i].integer()}, BytesPerSecond{rates[i].quantity()});
    if (i > 0 && efficiency.measured[i].first <= efficiency.measured[i - 1].first)
      sizes[i].fail("is not above the size before it (sizes are interpolated in order). Sort them");
  }
}

std::string efficiency_json(MessageEfficiency const& efficiency) {
  if (!efficiency.measured.empty()) {
    std::vector<std::int64_t> sizes;
    std::vector<double> rates;
    for (auto const& [size, rate] : efficiency.measured) {
      sizes.push_back(size.value);
      rates.push_back(rate.value);
    }
    return fmt::format("{{\"bytes\": [{}], \"bandwidth_Bps\": [{}]}}", fmt::join(sizes, ", "),
                       fmt::join(rates, ", "));
  }
  if (efficiency.half_bandwidth_bytes == 0) return {};
  return fmt::format("{{\"half_bandwidth_bytes\": {}}}", efficiency.half_bandwidth_bytes);
}

}  // namespace factosim
