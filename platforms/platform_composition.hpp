#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform_fields.hpp"

namespace factosim {

/// Node types and how their nodes are joined, while they are put together.
struct PlatformPart {
  Platform platform{};                   // its nodes may be missing
  std::vector<std::string> origins{};    // [types] the place that describes each, unique
  std::string network_of{}, costs_of{};  // names of the platforms that the network and the costs come from
  std::vector<std::string> unused_networks{};  // findings about those of other platforms
  std::optional<LinkRate> nic{};               // of the network, for all node types that are described whole
  std::uint32_t nics = 1;                      // such cards of a node

  /// Adds the types and subnets of another platform, and its network if there is none yet. What both have from one
  /// place is there once. Findings say which network and costs are used where they differ. Throws InputError at
  /// `entry` for two types or subnets of one name, and for subnets beside a fat tree.
  void add(PlatformPart other, JsonReader const& entry);

  /// Puts a text before the names of all types and subnets.
  void rename(std::string const& prefix);

  /// Adds a type, or replaces the one of its name.
  void set_type(NodeType type, std::string origin);

  /// Replaces the network, and the network cards by its own if it has one. Types of subnets that it lacks are on the core
  /// switch.
  void set_network(PlatformNetwork network);

  /// Adds findings that are not there yet.
  void add_findings(std::vector<std::string> const& findings);

  /// Sorts node types by name.
  void sort();

  [[nodiscard]] NodeType const* find(std::string_view type) const;
};

/// Keeps the node types with these indices, in this order. Each node must be of one of them; nodes are renumbered.
void select_types(Platform& platform, std::span<std::uint32_t const> order);

}  // namespace factosim
