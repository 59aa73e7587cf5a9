#pragma once

#include <string>
#include <utility>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

inline constexpr NamedValues<Routing, 3> routing_names{
    .what = "routing",
    .values = {
        {{Routing::minimal, "minimal"}, {Routing::valiant, "valiant"}, {Routing::adaptive, "adaptive"}}}};

/// Returns the keys that describe a fabric, in a network of a platform and in a usual network.
[[nodiscard]] std::vector<Key> fabric_keys();
/// Reads "fat_tree" or "dragonfly" of a network if one is there. Throws InputError.
void read_fabric(Fabric& fabric, JsonReader const& network);
/// Returns the key and the JSON text of a fabric; both empty without one.
[[nodiscard]] std::pair<std::string, std::string> fabric_json(Fabric const& fabric);

}  // namespace factosim
