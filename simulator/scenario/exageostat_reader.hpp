#pragma once

#include <nlohmann/json.hpp>

#include "models/applications/application.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// The keys of "application" that ExaGeoStat has beside the common ones; sets what is not given to the
/// defaults. Throws InputError.
void read_exageostat(JsonReader const& json, ApplicationParameters& parameters);
/// The same keys with what is in force.
[[nodiscard]] nlohmann::ordered_json effective_exageostat(ApplicationParameters const& parameters);

/// What the runtime does by default for these options: a worker more, and RAM that is pinned at submission
/// and given back after use, or kept. 650 us a MiB is what StarPU's simulation takes for pinning (malloc.c).
[[nodiscard]] RuntimeOptions runtime_defaults(ExageostatOptions const& options);

}  // namespace factosim
