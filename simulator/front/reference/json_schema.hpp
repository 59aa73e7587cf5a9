#pragma once

#include <nlohmann/json.hpp>

#include "simulator/front/reference/file_kinds.hpp"

namespace factosim {

/// Returns the JSON Schema (draft 2020-12) of a kind of file. It accepts what the reader accepts but for conditions
/// between several values, which only the reader checks.
[[nodiscard]] nlohmann::ordered_json json_schema(FileKind const& kind);

}  // namespace factosim
