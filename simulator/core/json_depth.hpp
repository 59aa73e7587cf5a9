#pragma once

#include <nlohmann/json_fwd.hpp>

namespace factosim {

/// Maximum nesting depth of accepted JSON, which limits the stack that recursive printing needs.
constexpr int deepest_json = 100;
[[nodiscard]] bool too_deep(nlohmann::json const& value);

}  // namespace factosim
