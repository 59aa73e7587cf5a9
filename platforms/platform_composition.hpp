#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/platform_fields.hpp"

namespace factosim {

/// Node types and how their nodes are joined, while they are put together.
struct PlatformPart {
  struct Type {
    NodeType type;
    std::string origin;  // the place that describes it, unique
  };

  std::map<std::string, Type> types{};  // by name
  std::vector<NodeRun> nodes{};         // of these types; may be missing
  NetworkSpec network{};
  std::optional<WorkerCosts> worker_costs{};
  std::vector<std::string> findings{};
  std::string network_of{}, costs_of{};  // names of the platforms that the network and the costs come from
  std::vector<std::string> unused_networks{};  // findings about those of other platforms
  std::optional<LinkRate> nic{};               // of the network, for all node types that are described whole
  std::uint32_t nics = 1;                      // such cards of a node

  /// Adds the types and subnets of another platform, and its network if there is none yet. What both have from one
  /// place is there once. Findings say which network and costs are used where they differ. Throws InputError at
  /// `entry` for two types or subnets of one name, and for subnets beside a fat tree.
  void add(PlatformPart other, JsonReader const& entry);

  /// Puts a text before the names of all types and subnets. Nodes are lost.
  void rename(std::string const& prefix);

  /// Replaces the network, and the network cards by its own if it has one. Types of subnets that it lacks are on the core
  /// switch.
  void set_network(PlatformNetwork replacement);

  /// Adds findings that are not there yet.
  void add_findings(std::vector<std::string> const& more);

  /// Returns null if there is no such type.
  [[nodiscard]] NodeType const* find(std::string const& type) const;

  /// Returns the platform with its types by name, and with all findings about it.
  [[nodiscard]] Platform whole() &&;
};

}  // namespace factosim
