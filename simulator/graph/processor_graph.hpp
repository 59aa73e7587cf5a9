#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// A platform where a message may take any way: processors, routers, and the links between them. Links may
/// be parallel. Vertices and links are named by their places.
struct ProcessorGraph {
  struct Vertex {
    std::string name;
    double speed = 0;  // units of work per second, 1 / w_i; 0: computes nothing, a router

    [[nodiscard]] bool computes() const { return speed > 0; }
  };
  struct Link {
    std::string name;
    std::uint32_t from = 0, to = 0;  // vertices
    BytesPerSecond bandwidth;
    bool either_way = true;  // both directions share the bandwidth; false: only from `from` to `to`
    bool shared = true;      // false: a backbone, each path over it may use all of the bandwidth
    Seconds latency{0};
  };

  std::vector<Vertex> vertices;
  std::vector<Link> links;
};

}  // namespace factosim
