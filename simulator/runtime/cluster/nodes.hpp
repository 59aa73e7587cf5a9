#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/runtime/node/node_runtime.hpp"

namespace factosim {

/// The runtime systems of all nodes, by id.
class Nodes {
 public:
  void add(std::unique_ptr<NodeRuntime> node) { nodes_.push_back(std::move(node)); }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] NodeRuntime& operator[](NodeId node) const { return *nodes_[node.index()]; }
  /// Returns whether `test(node)` holds for any node.
  template <class Test>
  [[nodiscard]] bool any(Test const& test) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](auto const& node) { return test(*node); });
  }

 private:
  std::vector<std::unique_ptr<NodeRuntime>> nodes_;
};

}  // namespace factosim
