#pragma once

#include <string_view>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Where a name of an earlier version stood.
enum class Gone { application, command, file_format, file_ending, trace_output };

/// Returns why a name of an earlier version is refused, and what to use instead: "(WHY). INSTEAD"; empty if the name
/// was never one.
[[nodiscard]] std::string_view reason_if_gone(Gone kind, std::string_view name);

/// Throws InputError if the key has the name of something that an earlier version had.
void refuse_if_gone(JsonReader const& key, Gone kind);
/// Throws InputError if the object has a key that only an earlier version had.
void refuse_gone_keys(JsonReader const& object, Gone kind);

}  // namespace factosim
