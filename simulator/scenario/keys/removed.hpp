#pragma once

#include <string>
#include <string_view>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Where a name of an earlier version stood: as a key of scenarios, or elsewhere.
enum class RemovedFrom { keys, commands, file_formats, file_endings, trace_formats };

/// Returns why the name was removed and what to use instead, "(WHY). INSTEAD"; empty if no earlier version had it.
[[nodiscard]] std::string why_removed(RemovedFrom where, std::string_view name);

/// Refuses a scenario that names what earlier versions had and this one has not: says so, and what to use instead.
/// `scenario`: the whole document. Throws InputError.
void refuse_removed(JsonReader const& scenario);

}  // namespace factosim
