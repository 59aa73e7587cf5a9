#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "platforms/platform.hpp"
#include "simulator/core/id.hpp"

namespace factosim {

/// The links of a whole cluster and the route between any two memory nodes, as plain data that every
/// network implementation is built from.
///
/// Memory nodes are numbered node after node: the RAM first, then the node's GPUs. Between nodes only
/// the RAMs talk: up link of the sender, (uplink of its subnet, backbone, downlink of the other subnet), down
/// link of the receiver.
class Topology {
 public:
  explicit Topology(Platform const& platform);

  struct Route {
    std::span<std::uint32_t const> links;  // indices into links()
    Seconds latency;                       // summed over the route
  };

  /// Inside a node: its bus route. Between nodes (RAM to RAM): the network route, written to `scratch`.
  [[nodiscard]] Route route(MemoryNodeId from, MemoryNodeId to, std::array<std::uint32_t, 8>& scratch) const;

  [[nodiscard]] std::span<LinkSpec const> links() const { return links_; }
  [[nodiscard]] std::size_t memory_node_count() const { return node_of_.size(); }
  [[nodiscard]] std::size_t node_count() const { return first_.size() - 1; }
  [[nodiscard]] NodeId node_of(MemoryNodeId m) const { return node_of_[m.index()]; }
  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const { return MemoryNodeId{first_[node.index()]}; }
  /// How many memory nodes the node has (1 + its GPUs).
  [[nodiscard]] std::size_t memory_nodes_of(NodeId node) const {
    return first_[node.index() + 1] - first_[node.index()];
  }
  [[nodiscard]] std::string name_of(MemoryNodeId m) const;  // "3:ram", "3:cuda1"

 private:
  struct Port {  // where a node meets the network; link indices
    std::uint32_t up, down;
    std::uint32_t subnet;  // index into subnet_up_; none_ when on the core switch
    Seconds latency;
  };
  static constexpr std::uint32_t none_ = 0xffffffffU;

  std::vector<LinkSpec> links_;
  std::vector<NodeId> node_of_;         // [memory nodes]
  std::vector<std::uint32_t> first_;    // [nodes + 1] first memory node of each node
  std::vector<Port> ports_;             // [nodes]
  std::vector<std::uint32_t> subnet_up_, subnet_down_;  // [subnets]
  std::uint32_t backbone_ = none_;
  std::vector<std::uint32_t> bus_route_first_;          // [nodes] into bus_route_begin_
  std::vector<std::uint32_t> bus_route_begin_;          // [nodes][m * m + 1] into bus_links_
  std::vector<std::uint32_t> bus_links_;
};

}  // namespace factosim
