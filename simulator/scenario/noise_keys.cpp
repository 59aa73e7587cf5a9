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
    NoiseKey{"run_speed_deviation", &NoiseOptions::run_speed_deviation, 0, 1000},
};

/// Returns whether the effective options list the key: those that came later only where they have an
/// effect, so that the options of older runs stay what they were.
bool is_listed(NoiseKey const& key, NoiseOptions const& options) {
  if (options.distribution == NoiseDistribution::calibrated) return key.member == &NoiseOptions::scale;
  return key.member != &NoiseOptions::run_speed_deviation || options.run_speed_deviation > 0;
}

NoiseDistribution read_distribution(JsonReader const& json) {
  return noise_distribution(json.one_of(noise_distribution_names()));
}

/// Reads "distribution", or "type" as in other objects of a scenario.
NoiseDistribution read_distribution_key(JsonReader const& json) {
  auto const distribution = json.find("distribution");
  auto const type = json.find("type");
  if (distribution && type) type->fail("stands beside \"distribution\" (both name it). Give one of them");
  if (distribution) return read_distribution(*distribution);
  return type ? read_distribution(*type) : NoiseDistribution::none;
}

}  // namespace

NoiseOptions read_noise(JsonReader const& json) {
  if (json.is_string()) return {.distribution = read_distribution(json)};
  NoiseOptions options{.distribution = read_distribution_key(json)};
  for (NoiseKey const& entry : noise_keys) {
    auto const& [key, member, minimum, maximum] = entry;
    auto const value = json.find(key);
    if (!value) continue;
    if (options.distribution == NoiseDistribution::calibrated && !is_listed(entry, options))
      value->fail("stands beside calibrated noise (the kernel file has its own). Remove it");
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
  for (NoiseKey const& entry : noise_keys)
    if (is_listed(entry, options)) out[entry.key] = options.*entry.member;
  return out;
}

}  // namespace factosim
