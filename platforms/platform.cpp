#include "factosim/platform.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

Bytes MessageEfficiency::carried(Bytes size) const {
  if (size.value == 0) return size;
  double excess = half_bandwidth_bytes;
  if (!measured.empty()) {
    double peak = 0;
    for (auto const& point : measured) peak = std::max(peak, point.second.value);
    auto const excess_of = [&](auto const& point) {
      return static_cast<double>(point.first.value) * (peak / point.second.value - 1);
    };
    auto const after = std::ranges::lower_bound(measured, size, {}, &std::pair<Bytes, BytesPerSecond>::first);
    if (after == measured.begin()) {
      excess = excess_of(*after);
    } else if (after == measured.end()) {
      excess = excess_of(measured.back());
    } else {
      auto const before = after - 1;
      double const share = static_cast<double>((size - before->first).value) /
                           static_cast<double>((after->first - before->first).value);
      excess = excess_of(*before) + share * (excess_of(*after) - excess_of(*before));
    }
  }
  return {size.value + std::llround(excess)};
}

std::string memory_node_name(NodeType const& type, std::size_t memory) {
  if (memory == 0) return "ram";
  if (memory < type.ram_count()) return "ram" + std::to_string(memory);
  if (type.is_disk(memory)) return "disk";
  return "cuda" + std::to_string(memory - type.ram_count());
}

}  // namespace factosim
