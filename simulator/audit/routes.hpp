#pragma once

#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"

namespace factosim::audit {

/// Links between two memories of a cluster, derived from the platform's description alone.
class Routes {
 public:
  struct Link {
    std::string name;
    double bandwidth_Bps, latency_s;
    bool shared;  // false: limits each transfer on its own
  };
  struct Route {
    std::vector<std::uint32_t> links;  // a link crossed twice is listed twice; empty: no route
    double latency_s = 0;
    double bandwidth_Bps = 0;  // of the narrowest link, for a single transfer
  };

  explicit Routes(Platform const& platform);

  /// Route between two memories of a node, numbered within it.
  [[nodiscard]] Route inside(NodeId node, std::size_t from, std::size_t to) const;
  /// Route between the RAMs of two nodes.
  [[nodiscard]] Route between(NodeId from, NodeId to) const;
  [[nodiscard]] std::vector<Link> const& links() const { return links_; }
  [[nodiscard]] std::size_t first_memory(NodeId node) const { return first_memory_[node.index()]; }
  [[nodiscard]] std::size_t memory_count() const { return first_memory_.back(); }

 private:
  std::uint32_t add_link(std::string name, LinkRate rate, bool shared = true);
  void add_network();
  /// Group of nodes behind one switch; -1: on the core switch.
  [[nodiscard]] std::int64_t group(NodeId node) const;
  [[nodiscard]] Route route_over(std::vector<std::uint32_t> links, double further_latency_s) const;

  Platform const& platform_;
  std::vector<Link> links_;
  std::vector<std::size_t> first_memory_;             // [nodes + 1]
  std::vector<std::uint32_t> first_bus_;              // [nodes] index of its first link
  std::vector<std::uint32_t> up_, down_;              // [nodes] of the NIC
  std::vector<std::uint32_t> group_up_, group_down_;  // [subnets], or [leaves][uplinks]
  std::int64_t backbone_ = -1;                        // index of its link; -1: none
};

}  // namespace factosim::audit
