#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/applications/application.hpp"
#include "simulator/scenario/placement/distribution.hpp"

namespace factosim {

/// An application's tiles on nodes; it needs no platform.
struct Placement {
  Application const* application = nullptr;  // never null; in the registry
  ApplicationParameters parameters;
  std::size_t nodes = 0;
  Distribution distribution;
  std::vector<std::string> node_types{};  // [nodes]; empty without a platform

  /// Returns whether `tiles_sent` builds the task graph to count its messages.
  [[nodiscard]] bool counts_in_graph() const {
    return !application->counts_tiles_sent || distribution.map.has_layers() || parameters.formats;
  }
};

/// Returns the number of tiles that each node owns, [nodes].
[[nodiscard]] std::vector<std::uint64_t> tiles_per_node(Placement const& placement);

/// Returns the number of tiles that the application makes nodes send, counted without simulating.
[[nodiscard]] std::uint64_t tiles_sent(Placement const& placement);

}  // namespace factosim
