#pragma once

#include <nlohmann/json.hpp>

#include "factosim/scheduler.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

/// Reads "scheduler". Throws InputError.
[[nodiscard]] SchedulerOptions read_scheduler(JsonReader const& json);
/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options);

}  // namespace factosim
