#pragma once

#include <nlohmann/json.hpp>

#include "simulator/core/json_reader.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// Reads "runtime"; `defaults` are the values of missing keys. Throws InputError.
[[nodiscard]] RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults = {});
/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_runtime(RuntimeOptions const& options);

}  // namespace factosim
