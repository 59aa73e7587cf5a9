#pragma once

#include <string>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Reads a node type that is described whole. Throws InputError.
[[nodiscard]] NodeType read_node_type(std::string const& name, JsonReader const& json);

/// Reads a variant of another node type, `base`: the values of `base`, but for the keys that it has itself. Of the GPUs
/// the first ones stay; more cores than `base` has are an estimate. Throws InputError.
[[nodiscard]] NodeType read_derived_type(std::string const& name, JsonReader const& json, NodeType base);

}  // namespace factosim
