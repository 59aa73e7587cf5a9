#include "platforms/out_of_core.hpp"

#include <limits>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Adds a row and a column to a square matrix.
template <class Value>
std::vector<Value> grown(std::vector<Value> const& matrix, std::size_t from) {
  std::vector<Value> out((from + 1) * (from + 1));
  if (matrix.empty()) return out;  // of a single memory node
  for (std::size_t row = 0; row < from; ++row)
    for (std::size_t column = 0; column < from; ++column)
      out[row * (from + 1) + column] = matrix[row * from + column];
  return out;
}

LinkRate predicted(LinkRate rate, DiskPrediction prediction) {
  if (prediction == DiskPrediction::rates) return rate;
  return {.bandwidth = {std::numeric_limits<double>::infinity()}, .latency = {}};
}

}  // namespace

void add_disk_memory(NodeType& type, DiskPrediction prediction) {
  FACTOSIM_EXPECT(type.disk && !type.out_of_core, "a node type has a disk, which is not in use yet");
  std::size_t const disk = type.memory_node_count(), memories = disk + 1;
  Bus& bus = type.bus;
  bus.routes = grown(bus.routes, disk);
  bus.predicted = grown(bus.predicted, disk);
  auto const read = static_cast<std::uint32_t>(bus.links.size()), write = read + 1;
  bus.links.push_back({"disk:read", type.disk->read});
  bus.links.push_back({"disk:write", type.disk->write});
  for (std::size_t m = 0; m < disk; ++m) {
    if (m < type.ram_count()) {
      bus.routes[disk * memories + m] = {read};
      bus.routes[m * memories + disk] = {write};
    }
    // Others go through RAM, which predictions add by themselves.
    bus.predicted[disk * memories + m] = predicted(type.disk->read, prediction);
    bus.predicted[m * memories + disk] = predicted(type.disk->write, prediction);
  }
  type.out_of_core = true;
}

}  // namespace factosim
