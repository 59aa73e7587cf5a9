#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// Links between nodes, and one by one the route from each node to each other, as a user's own SimGrid
/// platform has them. Pairs of the same links and latency have one route in common.
struct RouteTable {
  struct Link {
    std::string name;
    BytesPerSecond bandwidth;
    bool shared = true;  // false: limits each message by itself (SimGrid's FATPIPE)
  };

  std::string file;                     // where it comes from
  std::vector<std::string> hosts;       // [nodes] their names in that file
  std::vector<Link> links;              // those that a route crosses
  std::vector<std::uint32_t> first;     // [routes + 1] into `crossed`
  std::vector<std::uint32_t> crossed;   // indices into `links`
  std::vector<Seconds> latency;         // [routes]
  std::vector<std::uint32_t> route;     // [nodes][nodes] row-major: from, to; not read on the diagonal
  std::vector<std::string> findings{};  // parts of the file that were left out

  [[nodiscard]] std::uint32_t route_between(std::size_t from, std::size_t to) const {
    return route[from * hosts.size() + to];
  }
  [[nodiscard]] std::span<std::uint32_t const> links_of(std::uint32_t r) const {
    return {crossed.data() + first[r], crossed.data() + first[r + 1]};
  }
};

}  // namespace factosim
