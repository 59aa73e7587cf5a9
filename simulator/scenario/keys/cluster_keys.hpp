#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"

namespace factosim {

/// The keys of "runtime".
[[nodiscard]] Object<RuntimeOptions> const& object_of(RuntimeOptions const* any);

/// Reads "runtime"; `defaults` are the values of missing keys. Throws InputError.
[[nodiscard]] RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults = {});

/// Returns the types and numbers of nodes, in their order.
[[nodiscard]] nlohmann::ordered_json effective_platform(Platform const& platform);

/// The keys of "noise" as an object; effective options have those that have an effect.
[[nodiscard]] Object<NoiseOptions> const& object_of(NoiseOptions const* any);

/// Reads "noise". Throws InputError.
[[nodiscard]] NoiseOptions read_noise(JsonReader const& json);

/// The keys of "scheduler".
[[nodiscard]] Object<SchedulerOptions> const& object_of(SchedulerOptions const* any);

/// Reads "scheduler". Throws InputError.
[[nodiscard]] SchedulerOptions read_scheduler(JsonReader const& json);
/// Reads the schedule that "scheduler" names; null for a policy. Throws InputError.
[[nodiscard]] std::shared_ptr<StaticSchedule const> read_static_schedule(JsonReader const& scheduler);
/// Returns every option with its value, including defaults; of a static schedule its file.
[[nodiscard]] nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options,
                                                         StaticSchedule const* schedule = nullptr);

}  // namespace factosim
