#include "platforms/memory_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/interpolation.hpp"

namespace factosim {

namespace {

/// Returns the square matrix of the first `to` memory nodes; new ones have default values.
template <class Value>
std::vector<Value> resized(std::vector<Value> const& matrix, std::size_t from, std::size_t to) {
  std::vector<Value> out(to * to);
  if (matrix.empty()) return out;  // of a single memory node
  std::size_t const both = std::min(from, to);
  for (std::size_t row = 0; row < both; ++row)
    for (std::size_t column = 0; column < both; ++column)
      out[row * to + column] = matrix[row * from + column];
  return out;
}

LinkRate predicted(LinkRate rate, DiskPrediction prediction) {
  if (prediction == DiskPrediction::rates) return rate;
  return {.bandwidth = {std::numeric_limits<double>::infinity()}, .latency = {}};
}

}  // namespace

void keep_gpus(NodeType& type, std::size_t count) {
  if (count >= type.gpus.size()) return;
  std::size_t const dropped = type.gpus.size() - count;
  std::size_t const memories = type.memory_node_count();
  bool const own_memories = !type.unified_memory;
  type.gpus.resize(count);
  if (!type.gpu_caps.empty()) type.gpu_caps.resize(count);
  if (count == 0) type.unified_memory = false;
  if (!own_memories) return;
  for (auto& of_card : type.bus.card_routes) of_card.resize(std::min(of_card.size(), memories - dropped));
  if (memories - dropped == 1) {  // one memory node: no copies
    type.bus = {};
    return;
  }
  type.bus.routes = resized(type.bus.routes, memories, memories - dropped);
  type.bus.predicted = resized(type.bus.predicted, memories, memories - dropped);
}

void add_disk_memory(NodeType& type, DiskPrediction prediction) {
  FACTOSIM_EXPECT(type.disk && !type.out_of_core, "a node type has a disk, which is not in use yet");
  std::size_t const disk = type.memory_node_count(), memories = disk + 1;
  Bus& bus = type.bus;
  bus.routes = resized(bus.routes, disk, memories);
  bus.predicted = resized(bus.predicted, disk, memories);
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
