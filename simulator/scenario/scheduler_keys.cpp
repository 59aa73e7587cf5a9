#include "simulator/scenario/scheduler_keys.hpp"

#include <array>

namespace factosim {

namespace {

struct WeightKey {
  char const* key;
  double SchedulerOptions::*member;
};

constexpr std::array scheduler_weights{
    WeightKey{"alpha", &SchedulerOptions::alpha},
    WeightKey{"beta", &SchedulerOptions::beta},
    WeightKey{"gamma_us_per_J", &SchedulerOptions::gamma},
    WeightKey{"idle_power_W", &SchedulerOptions::idle_power},
    WeightKey{"transfer_factor", &SchedulerOptions::transfer_factor},
};

}  // namespace

SchedulerOptions read_scheduler(JsonReader const& json) {
  SchedulerOptions options;
  if (auto const type = json.find("type")) options.type = type->one_of(scheduler_names());
  for (auto const& [key, member] : scheduler_weights)
    if (auto const value = json.find(key)) options.*member = value->non_negative();
  json.finish();
  return options;
}

nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options) {
  nlohmann::ordered_json out = {{"type", options.type}};
  for (auto const& [key, member] : scheduler_weights) out[key] = options.*member;
  return out;
}

}  // namespace factosim
