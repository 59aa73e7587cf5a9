#pragma once

#include <nlohmann/json.hpp>

#include "factosim/scheduler.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/runtime/noise.hpp"

namespace factosim {

/// Each reads one object of a scenario, checks it, and has a twin that writes what is in force.

SchedulerOptions read_scheduler(JsonReader const& json);
nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options);

/// `options`: what holds where the scenario says nothing.
RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions options = {});
nlohmann::ordered_json effective_runtime(RuntimeOptions const& options);

NoiseOptions read_noise(JsonReader const& json);
nlohmann::ordered_json effective_noise(NoiseOptions const& options);

}  // namespace factosim
