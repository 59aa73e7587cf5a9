#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// A datum as one node names it.
struct DataName {
  std::uint32_t node;
  std::uint64_t address;
  bool operator==(DataName const&) const = default;
};
struct DataNameHash {
  std::size_t operator()(DataName const& n) const {
    return std::hash<std::uint64_t>{}(n.address * 0x9e3779b97f4a7c15U + n.node);
  }
};

/// The handles of a trace, found by the names that its nodes use for their data. Names of different nodes denote one
/// datum if they have the same MPI tag, or the same coordinates and owner, or if messages connect them. A tag or a tile
/// that denotes several data is not used; neither are names of messages that contradict the records of the data. All
/// that is reported. Handles are numbered in the order of their first records. Sizes are the largest that the records
/// of a datum tell, messages aside; negative if none does.
class HandleNames {
 public:
  /// O(records + messages).
  explicit HandleNames(StarpuRun const& run);

  /// Returns the handle with that name on the node; a new one if there is none.
  HandleId of(std::uint32_t node, std::uint64_t address);
  /// Returns the handle with that name on the node, or an invalid id.
  [[nodiscard]] HandleId known(std::uint32_t node, std::uint64_t address) const;
  /// Returns the handle that the message carried, by its names on both nodes, then by its tag.
  [[nodiscard]] HandleId of_message(StarpuRun::Message const& message) const;

  [[nodiscard]] std::vector<Trace::Handle>& handles() { return handles_; }
  [[nodiscard]] std::vector<std::string> const& findings() const { return findings_; }

 private:
  /// `renamed`: the name had been given to another datum before.
  void describe(StarpuRun::Handle const& record, bool renamed);
  [[nodiscard]] HandleId tagged(std::int64_t tag) const;

  std::unordered_map<DataName, HandleId, DataNameHash> by_name_;
  std::unordered_map<std::int64_t, HandleId> by_tag_;
  std::unordered_set<DataName, DataNameHash> misleading_;  // messages use them for data with different tags
  std::vector<Trace::Handle> handles_;
  std::vector<std::string> findings_;
};

}  // namespace factosim
