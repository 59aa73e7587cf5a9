#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
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
  /// Route between memories of two nodes, numbered within them.
  [[nodiscard]] Route between(NodeId from, NodeId to, std::size_t memory = 0,
                              std::size_t to_memory = 0) const;
  /// Least time of a message between two nodes, whatever memories and cards it takes.
  [[nodiscard]] double least_s(NodeId from, NodeId to, double bytes) const;
  /// Weight of every message where it shares links with copies, which have 1 / latency.
  [[nodiscard]] double message_weight() const;
  /// Number of the memory where messages from that memory may arrive beside RAM; 0: only there.
  [[nodiscard]] std::size_t arrival(NodeId from, NodeId to, std::size_t memory) const;
  /// Returns true if routes between nodes depend on more than their ends: `between` then has the links of the cards only,
  /// and the least latency.
  [[nodiscard]] bool uncertain() const { return uncertain_; }
  [[nodiscard]] std::vector<Link> const& links() const { return links_; }
  [[nodiscard]] std::size_t first_memory(NodeId node) const { return first_memory_[node.index()]; }
  [[nodiscard]] std::size_t memory_count() const { return first_memory_.back(); }

 private:
  std::uint32_t add_link(std::string name, LinkRate rate, bool shared = true);
  void add_network();
  void add_tree(FatTree const& tree);
  template <class Groups>
  void add_groups(Groups const& d, std::size_t leaves, std::size_t switches);
  template <class Groups>
  [[nodiscard]] std::pair<std::vector<std::size_t>, std::size_t> groups_between(Groups const& d,
                                                                                std::size_t from,
                                                                                std::size_t to, std::size_t a,
                                                                                std::size_t b) const;
  [[nodiscard]] bool has_spines() const { return switches_ > leaves_; }
  [[nodiscard]] bool is_leaf(std::size_t number) const { return number % switches_ < leaves_; }
  /// Append the links between two places of cards, and add their least latency. Return whether they cross the top, or
  /// go to another group.
  bool through_tree(FatTree const& tree, std::size_t a, std::size_t b, std::vector<std::uint32_t>& links,
                    double& least_s) const;
  template <class Groups>
  bool through_groups(Groups const& d, std::size_t from, std::size_t to, std::vector<std::uint32_t>& links,
                      double& least_s) const;
  /// Route over two cards, without links inside the nodes. `any_path`: of a fabric, only the least latency.
  struct CardRoute {
    std::vector<std::uint32_t> links;
    double further_s = 0;  // latency that is not of these links
    bool over_core = false;
  };
  [[nodiscard]] CardRoute over_cards(NodeId from, std::size_t card_out, NodeId to, std::size_t card_in,
                                     bool any_path) const;
  /// Whether every memory of a node is as near to all of its cards.
  [[nodiscard]] bool near_all_cards(NodeId node) const;
  /// Links of the bus between a memory and a card, of messages that leave or arrive.
  [[nodiscard]] static std::vector<std::uint32_t> to_card(NodeType const& type, std::size_t memory,
                                                          std::size_t card, bool leaves);
  /// Card of a message: of those with the fewest such links, the one that a number chooses.
  [[nodiscard]] std::size_t card(NodeId node, std::size_t memory, std::size_t number, bool leaves) const;
  [[nodiscard]] std::size_t place(NodeId node, std::size_t card) const;
  [[nodiscard]] std::size_t places() const;
  /// Group of nodes behind one switch; -1: on the core switch.
  [[nodiscard]] std::int64_t group(NodeId node) const;
  [[nodiscard]] Route route_over(std::vector<std::uint32_t> links, double further_latency_s) const;

  Platform const& platform_;
  std::vector<Link> links_;
  std::vector<std::size_t> first_memory_;             // [nodes + 1]
  std::vector<std::uint32_t> first_bus_;              // [nodes] index of its first link
  std::vector<std::uint32_t> up_, down_;              // [nodes][cards]
  std::vector<std::size_t> first_card_;               // [nodes] index of its first card
  std::size_t most_cards_ = 1, together_ = 1;         // cards of a node; nodes that share a switch
  std::vector<std::uint32_t> group_up_, group_down_;  // [subnets]
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      tree_links_;  // [levels][switch][port] up, down
  using Triple = std::array<std::size_t, 3>;
  std::map<Triple, std::uint32_t> switch_links_;  // by switches and number; 0 inside a group
  std::map<Triple, std::pair<std::size_t, std::size_t>> global_ends_;  // switches, by groups and link
  std::size_t groups_ = 0, leaves_ = 0, switches_ = 0;                 // the last two of a group
  bool uncertain_ = false;
  std::int64_t backbone_ = -1;  // index of its link; -1: none
};

}  // namespace factosim::audit
