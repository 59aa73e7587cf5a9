#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Gives every piece of data of a run one handle, whatever each node calls it: by its tag between nodes, by
/// the messages that carried it, else by its address on one node.
class HandleNames {
 public:
  explicit HandleNames(StarpuRun const& run);

  /// A new handle where the node has not named any so.
  HandleId of(std::uint32_t node, std::uint64_t address, std::int64_t size);
  /// An invalid id where the node has not named any so.
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
