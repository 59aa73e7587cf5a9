#pragma once

#include <nlohmann/json_fwd.hpp>

namespace factosim {

/// How far values may stand in values: what is deeper is no input of ours, and printing it would need a stack
/// as deep.
constexpr int deepest_json = 100;
[[nodiscard]] bool too_deep(nlohmann::json const& value);

}  // namespace factosim
