#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Maps the names that each node uses for data to one handle per datum: by its tag between nodes, by the
/// messages that carried it, otherwise by its address on one node.
class HandleNames {
 public:
  explicit HandleNames(StarpuRun const& run);

  /// Returns the handle with that name on the node; a new one if there is none.
  HandleId of(std::uint32_t node, std::uint64_t address, std::int64_t size);
  /// Returns the handle with that name on the node, or an invalid id.
  [[nodiscard]] HandleId known(std::uint32_t node, std::uint64_t address) const;
  [[nodiscard]] HandleId tagged(std::int64_t tag) const;

  [[nodiscard]] std::vector<Trace::Handle>& handles() { return handles_; }

 private:
  struct Name {
    std::uint32_t node;
    std::uint64_t address;
    bool operator==(Name const&) const = default;
  };
  struct Hash {
    std::size_t operator()(Name const& n) const {
      return std::hash<std::uint64_t>{}(n.address * 0x9e3779b97f4a7c15U + n.node);
    }
  };

  void add(StarpuRun::Handle const& handle);

  std::unordered_map<Name, HandleId, Hash> by_name_;
  std::unordered_map<std::int64_t, HandleId> by_tag_;
  std::vector<Trace::Handle> handles_;
};

}  // namespace factosim
