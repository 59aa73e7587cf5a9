#pragma once

#include <nlohmann/json.hpp>

#include "factosim/platform.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The keys of "runtime".
[[nodiscard]] ObjectKeys const& runtime_table();

/// Reads "runtime"; `defaults` are the values of missing keys. Throws InputError.
[[nodiscard]] RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults = {});
/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_runtime(RuntimeOptions const& options);

/// Returns the types and numbers of nodes, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

}  // namespace factosim
