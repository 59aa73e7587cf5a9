#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/traces/import/data_identity.hpp"
#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// The handles of a trace, found by the names that its nodes use for their data. Sizes are the largest that
/// the records of a datum tell, messages aside; negative if none does.
class HandleNames {
 public:
  explicit HandleNames(StarpuRun const& run);

  /// Returns the handle with that name on the node; a new one if there is none.
  HandleId of(std::uint32_t node, std::uint64_t address);
  /// Returns the handle with that name on the node, or an invalid id.
  [[nodiscard]] HandleId known(std::uint32_t node, std::uint64_t address) const;
  /// Returns the handle that the message carried, by its names on both nodes, then by its tag.
  [[nodiscard]] HandleId of_message(StarpuRun::Message const& message) const;

  [[nodiscard]] std::vector<Trace::Handle>& handles() { return handles_; }
  [[nodiscard]] std::vector<std::string> const& findings() const { return identity_.findings(); }

 private:
  void describe(StarpuRun::Handle const& record, bool renamed);

  DataIdentity identity_;
  std::unordered_map<DataName, HandleId, DataNameHash> without_record_;
  std::vector<Trace::Handle> handles_;
};

}  // namespace factosim
