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
#include "platforms/fabric_routes.hpp"

namespace factosim {

/// The links of a whole cluster and the route between any two memory nodes, as plain data for all network
/// implementations.
///
/// Memory nodes are numbered node by node: the RAM (or its NUMA nodes), the node's GPUs, then its disk. Routes between
/// nodes: links from the memory to a card, up link of the sender, (links up of its subnet or of the fabric, backbone, links
/// down to the receiver's), down link of the receiver, links from its card to the memory; or the route of the platform's
/// table. The links inside the nodes add no latency (Bus::CardRoute), and the first RAM usually has none.
class Topology {
 public:
  explicit Topology(Platform const& platform);

  struct Route {
    std::span<std::uint32_t const> links;            // indices into links()
    Seconds latency;                                 // summed over the route
    std::uint32_t before_card = 0, behind_card = 0;  // links inside the nodes, of a route between cards
    /// Returns the links between the cards, without their own.
    [[nodiscard]] std::span<std::uint32_t const> between_cards() const {
      return links.subspan(before_card + 1, links.size() - before_card - behind_card - 2);
    }
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

  /// Returns the bus route inside a node, or the route of a message between memories of two nodes, stored in `scratch`.
  /// Throws ContractError if no route joins the two.
  [[nodiscard]] Route route(MemoryNodeId from, MemoryNodeId to, RouteBuffer& scratch,
                            Path path = any_path) const;
  /// Returns the links of the way back of a transfer over `path`, for cross traffic; none if none joins the two.
  [[nodiscard]] std::span<std::uint32_t const> way_back(MemoryNodeId from, MemoryNodeId to,
                                                        RouteBuffer& scratch, Path path) const {
    return same_node(from, to) ? bus_route(to, from) : route(to, from, scratch, path).links;
  }
  /// Returns true if transfers between nodes choose their path by the loads of links.
  [[nodiscard]] bool chooses_paths() const { return chooses_paths_; }
  /// Returns the links that all messages between two nodes cross, whatever their memories and cards, and the least latency;
  /// stored in `scratch`. Without GpuDirect: those of the route between their RAMs.
  [[nodiscard]] Route certain_route(NodeId from, NodeId to, RouteBuffer& scratch) const;
  /// Returns the least time of such a message alone.
  [[nodiscard]] Seconds least_time(NodeId from, NodeId to, Bytes size) const;
  /// Returns those on the slowest of the links of an idle route.
  [[nodiscard]] double seconds_per_byte(std::span<std::uint32_t const> links) const;
  /// Returns whether all such routes end with the card of the receiver.
  [[nodiscard]] bool certain_receiver() const { return gpu_direct_ == GpuDirect::none; }
  /// Returns the memory of `to` where messages from a memory arrive if there is room: see GpuDirect.
  [[nodiscard]] LocalMemory arrival(MemoryNodeId from, NodeId to) const;
  /// Returns the weight of a message among the flows on its links: 1, unless it shares links with copies.
  [[nodiscard]] double message_weight() const { return message_weight_; }

  /// Stores the paths that a transfer between nodes may choose, the one of static routing first.
  void candidates(MemoryNodeId from, MemoryNodeId to, std::uint64_t seed, std::vector<Path>& paths) const {
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
  void add_cards(Platform const& platform);
  /// The links between the memories and the cards of one kind of node, as indices into the links of its bus.
  struct Cards {
    std::vector<std::vector<Bus::CardRoute>> routes;  // [memory_nodes][cards]
    std::vector<std::vector<std::uint32_t>> nearest_out,
        nearest_in;                      // [memory_nodes] cards with the fewest links
    std::vector<std::uint32_t> arrival;  // [cards] memory node beside it
    bool certain = true;                 // every memory is as near to all cards
  };
  /// Returns the cards that a message takes, as indices into ports_. The number of the receiver chooses one of those nearest
  /// to the memory of the sender; at the receiver that of the sender does or, with GpuDirect, that of the first card.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> cards(MemoryNodeId from, MemoryNodeId to) const {
    NodeId const a = node_of(from);
    std::uint32_t const out = card_of(from, node_of(to).value(), true);
    bool const direct = gpu_direct_ != GpuDirect::none;
    return {out, card_of(to, direct ? out - first_port_[a.index()] : a.value(), false)};
  }
  [[nodiscard]] std::uint32_t card_of(MemoryNodeId memory, std::uint32_t number, bool out) const {
    NodeId const node = node_of(memory);
    std::uint32_t const first = first_port_[node.index()];
    if (!routes_to_cards_) return first + number % (first_port_[node.index() + 1] - first);
    Cards const& cards = cards_[type_of_[node.index()]];
    auto const& nearest = (out ? cards.nearest_out : cards.nearest_in)[local(memory)];
    return first + nearest[number % nearest.size()];
  }
  [[nodiscard]] std::uint32_t local(MemoryNodeId memory) const {
    return memory.value() - first_[node_of(memory).index()];
  }
  [[nodiscard]] bool cards_are_certain(NodeId node) const {
    return !routes_to_cards_ || cards_[type_of_[node.index()]].certain;
  }
  /// Returns the links of the bus between a memory and a card, which it numbers as ports_.
  [[nodiscard]] Bus::CardRoute const& card_route(MemoryNodeId memory, std::uint32_t port) const {
    NodeId const node = node_of(memory);
    return cards_[type_of_[node.index()]].routes[local(memory)][port - first_port_[node.index()]];
  }
  [[nodiscard]] std::uint32_t position(std::uint32_t port) const { return ports_[port].position; }
  [[nodiscard]] bool crosses_core(Port const& a, Port const& b) const;
  /// Returns the route over two cards without the links inside the nodes. `certain_only`: of the fabric, only links that all
  /// paths share.
  [[nodiscard]] Route network_route(std::uint32_t out, std::uint32_t in, Path path, bool certain_only,
                                    RouteBuffer& scratch) const;

  std::vector<LinkSpec> links_;
  std::vector<NodeId> node_of_;            // [memory nodes]
  std::vector<bool> is_ram_;               // [memory nodes]
  std::vector<bool> is_disk_;              // [memory nodes]
  std::vector<std::uint32_t> first_;       // [nodes + 1] first memory node of each node
  std::vector<Port> ports_;                // [nodes][cards]
  std::vector<std::uint32_t> first_port_;  // [nodes + 1]
  MessageEfficiency efficiency_;
  GpuDirect gpu_direct_;
  bool routes_to_cards_ = false;               // messages cross links inside nodes
  std::vector<Cards> cards_;                   // [node types], with routes to cards
  std::vector<std::uint32_t> type_of_;         // [nodes] the same
  std::vector<std::uint32_t> first_bus_link_;  // [nodes] index into links_
  double message_weight_ = 1;
  struct UpAndDown {
    std::uint32_t up, down;  // indices into links_
  };
  std::vector<UpAndDown> subnets_;
  std::shared_ptr<FabricRoutes const> fabric_;
  bool chooses_paths_ = false;
  std::shared_ptr<RouteTable const> table_;
  std::size_t longest_route_ = 0;
  std::optional<std::uint32_t> backbone_;
  Seconds backbone_latency_;
  std::vector<std::uint32_t> bus_route_first_;  // [nodes] into bus_route_begin_
  std::vector<std::uint32_t> bus_route_begin_;  // [nodes][m * m + 1] into bus_links_
  std::vector<std::uint32_t> bus_links_;
};

/// Returns the time of `size` bytes on an idle route, including its latency.
[[nodiscard]] Seconds unshared_time(Topology const& topology, MemoryNodeId from, MemoryNodeId to, Bytes size);

}  // namespace factosim
