#pragma once

#include <string_view>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Where a name of an earlier version stood.
enum class Gone { application, command, file_format };

/// Returns why a name of an earlier version is refused, and what to use instead: "(WHY). INSTEAD"; empty if the name
/// was never one.
[[nodiscard]] std::string_view reason_if_gone(Gone kind, std::string_view name);

/// Throws InputError if the key has the name of something that an earlier version had.
void refuse_if_gone(JsonReader const& key, Gone kind);

}  // namespace factosim
