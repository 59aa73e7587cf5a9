#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "factosim/platform.hpp"

namespace factosim {

/// Computes the rate of a lone copy between each two memory nodes of a bus, [from][to], 0 on the diagonal: the
/// bandwidth of the slowest link of the route (half for a link crossed twice) and the sum of the latencies; two
/// copies over the RAM, one after the other, without a direct route. For buses without measurements.
[[nodiscard]] std::vector<LinkRate> predict_from_routes(Bus const& bus, std::size_t memory_nodes);

/// Returns the rate of a lone copy between two memory nodes by its route: the slowest link, each counted as often as it
/// is crossed, and the sum of the latencies. 0 without a route.
[[nodiscard]] LinkRate route_rate(NodeType const& type, std::size_t from, std::size_t to);

/// A part of a bus that the copies of several GPUs from or to the RAM share: a host link or a PCI switch.
struct SharedLinks {
  std::vector<std::size_t> gpus;  // sorted
  BytesPerSecond bandwidth;       // of the slowest of these links
  bool operator==(SharedLinks const&) const = default;
};

/// Returns the shared parts of the bus, those of the most GPUs first. Parts of the same GPUs are one.
[[nodiscard]] std::vector<SharedLinks> shared_links(NodeType const& type);

/// "4 GB/s", "4 GB/s, 1 us" and, of several rates, "6 to 6.5 GB/s".
[[nodiscard]] std::string bandwidth_text(BytesPerSecond rate);
[[nodiscard]] std::string rate_text(LinkRate const& rate);
/// "4 x ", before the rate of a network card, of a node with four; empty for one.
[[nodiscard]] std::string cards_text(std::uint32_t cards);
/// "never limits" or "288 GB/s, 1 us", or a fat tree or dragonfly.
[[nodiscard]] std::string switch_text(NetworkSpec const& network);
/// "3 Tesla M2070 (5.64 GB)", one part for each model.
[[nodiscard]] std::string gpus_text(NodeType const& type);
/// Rates of copies from the RAM to the GPUs and back: "6.0 to 6.5 GB/s".
[[nodiscard]] std::string gpu_rates_text(NodeType const& type);

}  // namespace factosim
