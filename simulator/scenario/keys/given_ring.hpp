#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "distributions/ring/ring.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Keys of a ring that the user gives: "order" and "paths".
[[nodiscard]] std::vector<Key> given_ring_keys();

/// Reads "order" and "paths"; nothing if neither is there. Messages without a path take a widest one, by the links'
/// whole bandwidths. Bandwidths and alpha are left open. Throws InputError.
[[nodiscard]] std::optional<Ring> read_given_ring(JsonReader const& application, ProcessorGraph const& graph);

/// Returns "order" and "paths", all of them.
[[nodiscard]] nlohmann::ordered_json effective_given_ring(ProcessorGraph const& graph, Ring const& ring);

}  // namespace factosim
