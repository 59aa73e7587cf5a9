#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "platforms/topology.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// Adaptive routing: chooses the path of each transfer between nodes when it starts, and keeps it. Of the candidates, it
/// takes the one with the least cost times load of its busiest link, the first of equals; the load of a link is the
/// number of transfers that have chosen it, this one included, divided by its bandwidth.
class PathChooser {
 public:
  explicit PathChooser(Topology const& topology)
      : topology_(topology), transfers_(topology.chooses_paths() ? topology.links().size() : 0) {}

  /// Returns the path of a transfer that starts.
  Topology::Path start(MemoryNodeId from, MemoryNodeId to, TransferToken token);
  /// The transfer has ended; its path remains known until its token is used again.
  void end(TransferToken token);
  [[nodiscard]] Topology::Path path_of(TransferToken token) const {
    auto const taken = taken_.find(token);
    return taken == taken_.end() ? Topology::any_path : taken->second.path;
  }

 private:
  struct Taken {
    MemoryNodeId from, to;
    Topology::Path path;
  };

  Topology const& topology_;
  std::vector<std::uint32_t> transfers_;  // [links]
  std::unordered_map<TransferToken, Taken> taken_;
  std::vector<Topology::Path> candidates_;  // scratch
  std::uint64_t started_ = 0;
};

}  // namespace factosim
