#pragma once

#include <nlohmann/json.hpp>

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The keys of "runtime".
[[nodiscard]] Object<RuntimeOptions> const& object_of(RuntimeOptions const* any);

/// Reads "runtime"; `defaults` are the values of missing keys. Throws InputError.
[[nodiscard]] RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults = {});

/// Returns the types and numbers of nodes, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

}  // namespace factosim
