#include "simulator/scenario/noise_keys.hpp"

#include <fmt/format.h>

#include <array>

namespace factosim {

namespace {

struct NoiseKey {
  char const* key;
  double NoiseOptions::*member;
  double minimum, maximum;
};

constexpr std::array noise_keys{
    NoiseKey{"scale", &NoiseOptions::scale, 0, 1000},
    NoiseKey{"first_execution_factor", &NoiseOptions::first_execution_factor, 1, 1e6},
    NoiseKey{"worker_speed_deviation", &NoiseOptions::worker_speed_deviation, 0, 1000},
};

}  // namespace

NoiseOptions read_noise(JsonReader const& json) {
  NoiseOptions options;
  if (auto const distribution = json.find("distribution"))
    options.distribution = noise_distribution(distribution->one_of(noise_distribution_names()));
  for (auto const& [key, member, minimum, maximum] : noise_keys) {
    auto const value = json.find(key);
    if (!value) continue;
    options.*member = value->number();
    if (options.*member < minimum || options.*member > maximum)
      value->fail(fmt::format("is {} (it must lie between {} and {}). Give a value in that range",
                              options.*member, minimum, maximum));
  }
  json.finish();
  return options;
}

nlohmann::ordered_json effective_noise(NoiseOptions const& options) {
  nlohmann::ordered_json out = {{"distribution", name_of(options.distribution)}};
  for (auto const& [key, member, minimum, maximum] : noise_keys) out[key] = options.*member;
  return out;
}

}  // namespace factosim
