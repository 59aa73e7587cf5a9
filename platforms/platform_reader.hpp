#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// "network" of a platform.
struct PlatformNetwork {
  NetworkSpec spec;
  std::optional<LinkRate> nic{};  // of all node types; none: their own
  std::uint32_t nics = 1;         // if `nic` is set
};

/// Read the parts of a platform. Throw InputError.
[[nodiscard]] PlatformNetwork read_platform_network(JsonReader const& json);
[[nodiscard]] WorkerCosts read_worker_costs(JsonReader const& json);
/// Returns the type of each node as an index into `types`.
[[nodiscard]] std::vector<std::uint32_t> read_nodes(JsonReader const& json,
                                                    std::vector<NodeType> const& types);

}  // namespace factosim
