#include "platforms/gpu_subset.hpp"

#include <algorithm>

namespace factosim {

namespace {

/// Keeps the upper left part of a square matrix.
template <class Value>
void shrink(std::vector<Value>& matrix, std::size_t from, std::size_t to) {
  for (std::size_t row = 1; row < to; ++row)
    std::move(matrix.begin() + static_cast<std::ptrdiff_t>(row * from),
              matrix.begin() + static_cast<std::ptrdiff_t>(row * from + to),
              matrix.begin() + static_cast<std::ptrdiff_t>(row * to));
  matrix.resize(to * to);
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
  shrink(type.bus.routes, memories, memories - dropped);
  shrink(type.bus.predicted, memories, memories - dropped);
}

}  // namespace factosim
