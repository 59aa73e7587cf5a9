#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factosim/plugin.h"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/value_rules.hpp"
#include "simulator/base/plugin/plugin.hpp"

namespace factosim {

/// A "type" that names a shared library.
[[nodiscard]] ValueRule plugin_rule();

/// The keys of an object whose "type" is a shared library: those that the library has.
[[nodiscard]] ObjectKeys::Variant plugin_variant(std::string meaning);

/// Returns the shared library that the "type" of the object names, if it does. Its path starts from the folder of the
/// file.
[[nodiscard]] std::optional<PluginFile> plugin_file(JsonReader const& object);

/// Reads a value for each key, in this order. Throws InputError.
[[nodiscard]] std::vector<OptionValue> read_plugin_values(JsonReader const& object,
                                                          std::span<factosim_key const> keys);

/// Returns a value as JSON.
[[nodiscard]] nlohmann::ordered_json json_of(OptionValue const& value);

}  // namespace factosim
