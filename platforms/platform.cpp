#include "factosim/platform.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/base/core/interpolation.hpp"

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
    excess = interpolated(
        measured, static_cast<double>(size.value),
        [](auto const& point) { return static_cast<double>(point.first.value); }, excess_of);
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
