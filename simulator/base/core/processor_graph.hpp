#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// A platform of processors, routers and links in which messages may take any path. Links may be parallel.
/// Vertices and links are identified by their index.
struct ProcessorGraph {
  struct Vertex {
    std::string name;
    double speed = 0;  // units of work per second, 1 / w_i; 0: a router

    [[nodiscard]] bool computes() const { return speed > 0; }
  };
  struct Link {
    std::string name;
    std::uint32_t from = 0, to = 0;  // vertices
    BytesPerSecond bandwidth;
    bool either_way = true;  // both directions share the bandwidth; false: only from `from` to `to`
    bool shared = true;      // false: a backbone, of which each path may use all of the bandwidth
    Seconds latency{0};
  };

  std::vector<Vertex> vertices;
  std::vector<Link> links;
};

}  // namespace factosim
