#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factosim/platform.hpp"
#include "platforms/fabric.hpp"

namespace factosim {

/// The links of one route.
struct LinkList {
  static constexpr std::size_t of_network = 12;  // most of a message's links from its first card to its last
  static constexpr std::size_t of_node = most_card_links;
  std::array<std::uint32_t, of_network + 2 * of_node> links;
  std::size_t count = 0;

  void add(std::uint32_t link) { links[count++] = link; }
};

/// The links between the switches of a fabric, and its routes, computed in O(links of the route). Cards of nodes are
/// numbered in the order in which they fill the switches. A path is a number that, with its ends, makes a route; its
/// meaning is private to the fabric.
class FabricRoutes {
 public:
  /// Adds a link to the topology and returns its index.
  using AddLink = std::function<std::uint32_t(std::string, LinkRate)>;

  virtual ~FabricRoutes() = default;

  /// Returns true if messages from one card to the other pass the top of the tree, or go to another group.
  [[nodiscard]] virtual bool crosses_core(std::uint32_t from, std::uint32_t to) const = 0;
  /// Returns the path of static routing.
  [[nodiscard]] virtual std::uint32_t static_path(std::uint32_t from, std::uint32_t to) const = 0;
  /// Stores the paths that adaptive routing chooses from, that of static minimal routing first. Some are drawn with `seed`.
  virtual void candidates(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                          std::vector<std::uint32_t>& paths) const = 0;
  /// Returns how often a route on this path pays for its load: the number of links between groups.
  [[nodiscard]] virtual double cost(std::uint32_t path) const = 0;
  /// Appends the links on the way up to the core, or to the switch where the route turns.
  virtual void up(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const = 0;
  /// Appends the links from there to the switch of the receiver.
  virtual void down(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const = 0;
  /// Returns the least latency of all routes between two cards, without that of their own links.
  [[nodiscard]] virtual Seconds least_latency(std::uint32_t from, std::uint32_t to) const = 0;
};

/// Returns null for a network without a fabric.
[[nodiscard]] std::unique_ptr<FabricRoutes> make_fabric_routes(Fabric const& fabric, std::size_t cards,
                                                               FabricRoutes::AddLink const& add_link);

}  // namespace factosim
