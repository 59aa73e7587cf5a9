#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/platform.hpp"
#include "simulator/engine/fabric_routes.hpp"

namespace factosim {

/// The links of a whole cluster and the route between any two memory nodes, as plain data for all network
/// implementations.
///
/// Memory nodes are numbered node by node: the RAM (or its NUMA nodes), the node's GPUs, then its disk. Routes between
/// nodes join their first RAMs: up link of the sender, (links up of its subnet or of the fabric, backbone, links down to
/// the receiver's), down link of the receiver; or the route of the platform's table.
class Topology {
 public:
  explicit Topology(Platform const& platform);

  struct Route {
    std::span<std::uint32_t const> links;  // indices into links()
    Seconds latency;                       // summed over the route
  };

  /// The links between a card of a node and its switch.
  struct Port {
    std::uint32_t up, down;               // indices into links()
    std::optional<std::uint32_t> subnet;  // none: on the core switch
    std::uint32_t position = 0;           // in the fabric
  };

  using RouteBuffer = LinkList;
  /// A choice among the routes between two nodes, see FabricRoutes.
  using Path = std::uint32_t;
  /// The route of static routing. With adaptive routing: the links that all routes share, and their least latency.
  static constexpr Path any_path = std::numeric_limits<Path>::max();

  /// Returns the bus route inside a node, or the network route between nodes (RAM to RAM), stored in `scratch`.
  /// Throws ContractError if no route joins the two.
  [[nodiscard]] Route route(MemoryNodeId from, MemoryNodeId to, RouteBuffer& scratch,
                            Path path = any_path) const;
  /// Returns true if transfers between nodes choose their path by the loads of links.
  [[nodiscard]] bool chooses_paths() const { return chooses_paths_; }
  /// Stores the paths that a transfer between nodes may choose, the one of static routing first.
  void candidates(NodeId from, NodeId to, std::uint64_t seed, std::vector<Path>& paths) const {
    auto const [a, b] = cards(from, to);
    fabric_->candidates(position(a), position(b), seed, paths);
  }
  /// Returns the bytes that a transfer takes on its links: those of messages depend on the network's efficiency.
  [[nodiscard]] Bytes carried(MemoryNodeId from, MemoryNodeId to, Bytes size) const {
    return same_node(from, to) ? size : efficiency_.carried(size);
  }
  /// Returns by how much the load of a path counts.
  [[nodiscard]] double cost_of(Path path) const { return fabric_->cost(path); }
  /// Returns the links of a bus route; empty for a single memory node and for GPUs without a direct route.
  [[nodiscard]] std::span<std::uint32_t const> bus_route(MemoryNodeId from, MemoryNodeId to) const;
  /// Links of all bus routes, with repetitions.
  [[nodiscard]] std::span<std::uint32_t const> bus_links() const { return bus_links_; }
  [[nodiscard]] bool same_node(MemoryNodeId a, MemoryNodeId b) const { return node_of(a) == node_of(b); }

  [[nodiscard]] std::span<LinkSpec const> links() const { return links_; }
  [[nodiscard]] std::size_t memory_node_count() const { return node_of_.size(); }
  [[nodiscard]] std::size_t node_count() const { return first_.size() - 1; }
  [[nodiscard]] NodeId node_of(MemoryNodeId m) const { return node_of_[m.index()]; }
  [[nodiscard]] MemoryNodeId ram_of(NodeId node) const { return MemoryNodeId{first_[node.index()]}; }
  [[nodiscard]] bool is_ram(MemoryNodeId m) const { return is_ram_[m.index()]; }
  [[nodiscard]] bool is_disk(MemoryNodeId m) const { return is_disk_[m.index()]; }
  [[nodiscard]] std::size_t memory_nodes_of(NodeId node) const {
    return first_[node.index() + 1] - first_[node.index()];
  }
  /// Returns the first card's. Not available with a table of routes.
  [[nodiscard]] Port const& port(NodeId node) const { return ports_[first_port_[node.index()]]; }
  /// Returns true if transfers share the bandwidth of the link, false if each may use all of it.
  [[nodiscard]] bool is_shared(std::uint32_t link) const {
    return !table_ || link >= table_->links.size() || table_->links[link].shared;
  }
  [[nodiscard]] bool has_unshared_links() const { return has_unshared_links_; }
  /// Returns the maximum number of links of a route.
  [[nodiscard]] std::size_t longest_route() const { return longest_route_; }
  /// Returns the link that all messages over the core switch share; none if it can never limit them.
  [[nodiscard]] std::optional<std::uint32_t> backbone() const { return backbone_; }
  [[nodiscard]] std::string name_of(MemoryNodeId m) const;  // "3:ram", "3:cuda1", "3:disk"

 private:
  std::uint32_t add_link(std::string name, LinkRate rate);
  void add_table();
  void add_core(Platform const& platform);
  void add_node(NodeId node, Platform const& platform);
  void add_port(NodeId node, Platform const& platform);
  /// Returns the cards that a message takes, as indices into ports_.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> cards(NodeId from, NodeId to) const {
    auto const card = [&](NodeId of, NodeId other) {
      std::uint32_t const first = first_port_[of.index()];
      return first + other.value() % (first_port_[of.index() + 1] - first);
    };
    return {card(from, to), card(to, from)};
  }
  [[nodiscard]] std::uint32_t position(std::uint32_t port) const { return ports_[port].position; }
  [[nodiscard]] bool crosses_core(Port const& a, Port const& b) const;
  [[nodiscard]] std::span<std::uint32_t const> network_route(NodeId a, NodeId b, Path path,
                                                             RouteBuffer& scratch) const;

  std::vector<LinkSpec> links_;
  std::vector<NodeId> node_of_;            // [memory nodes]
  std::vector<bool> is_ram_;               // [memory nodes]
  std::vector<bool> is_disk_;              // [memory nodes]
  std::vector<std::uint32_t> first_;       // [nodes + 1] first memory node of each node
  std::vector<Port> ports_;                // [nodes][cards]
  std::vector<std::uint32_t> first_port_;  // [nodes + 1]
  MessageEfficiency efficiency_;
  struct UpAndDown {
    std::uint32_t up, down;  // indices into links_
  };
  std::vector<UpAndDown> subnets_;
  std::shared_ptr<FabricRoutes const> fabric_;
  bool chooses_paths_ = false;
  std::shared_ptr<RouteTable const> table_;
  bool has_unshared_links_ = false;
  std::size_t longest_route_ = 0;
  std::optional<std::uint32_t> backbone_;
  Seconds backbone_latency_;
  std::vector<std::uint32_t> bus_route_first_;  // [nodes] into bus_route_begin_
  std::vector<std::uint32_t> bus_route_begin_;  // [nodes][m * m + 1] into bus_links_
  std::vector<std::uint32_t> bus_links_;
};

}  // namespace factosim
