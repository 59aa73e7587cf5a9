#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// "network" of a platform.
struct PlatformNetwork {
  NetworkSpec spec;
  std::optional<LinkRate> nic{};  // of all node types; none: their own
  std::uint32_t nics = 1;         // if `nic` is set
};

/// Nodes of one type, in the order of the platform.
struct NodeRun {
  std::string type;
  std::size_t count = 0;
};

[[nodiscard]] Object<PlatformNetwork> const& object_of(PlatformNetwork const* any);
[[nodiscard]] Object<NodeRun> const& object_of(NodeRun const* any);
[[nodiscard]] Object<Subnet> const& object_of(Subnet const* any);
[[nodiscard]] Object<WorkerCosts> const& object_of(WorkerCosts const* any);
/// The keys of a network without `preset`.
[[nodiscard]] Fields<NetworkSpec> network_fields();

}  // namespace factosim
