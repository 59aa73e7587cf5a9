#include "simulator/scenario/keys/noise_keys.hpp"

#include <array>

namespace factosim {

namespace {

struct NoiseKey {
  char const* key;
  double NoiseOptions::*member;
  double minimum, maximum;
  char const* meaning;
};

constexpr std::array noise_keys{
    NoiseKey{"scale", &NoiseOptions::scale, 0, 1000,
             "multiplies the deviation, or an empirical draw's distance from the mean; with `calibrated`, "
             "all deviations"},
    NoiseKey{"first_execution_factor", &NoiseOptions::first_execution_factor, 1, 1e6,
             "factor of the first execution of each kernel on each worker"},
    NoiseKey{"worker_speed_deviation", &NoiseOptions::worker_speed_deviation, 0, 1000,
             "relative deviation of a lognormal factor of mean 1, drawn once for each worker in each run"},
    NoiseKey{"run_speed_deviation", &NoiseOptions::run_speed_deviation, 0, 1000,
             "the same of a factor common to all workers, drawn once for each run"},
    NoiseKey{"duration_precision", &NoiseOptions::duration_precision, 0, 0.5,
             "relative precision of durations: each execution is multiplied by a number of its own, uniform "
             "within 1 ± the precision; 1e-6 breaks ties and changes nothing else. With every distribution"},
    NoiseKey{"overhead_precision", &NoiseOptions::overhead_precision, 0, 1,
             "relative precision of the costs in `runtime`: one such factor for each cost in each run. With "
             "every distribution"},
};

std::vector<Key> make_noise_keys() {
  std::string const meaning =
      "of single executions: `normal` (within 10 and 190 % of the mean) or `lognormal`, with the timing's "
      "deviation; "
      "`empirical`, from its `samples_s`; `calibrated`, all that `factosim calibrate` wrote into the kernel "
      "file";
  NoiseOptions const defaults;
  std::vector<Key> keys{{.name = "distribution",
                         .value = {rule::word(noise_distribution_names())},
                         .meaning = meaning,
                         .default_value = name_of(defaults.distribution)},
                        {.name = "type",
                         .value = {rule::word(noise_distribution_names())},
                         .meaning = "the same as `distribution`; one of them may be given"}};
  for (NoiseKey const& key : noise_keys)
    keys.push_back({.name = key.key,
                    .value = {rule::number(key.minimum, key.maximum)},
                    .meaning = key.meaning,
                    .default_value = defaults.*key.member});
  return keys;
}

/// Returns whether the key is a precision of inputs, which goes with every distribution.
bool is_precision(NoiseKey const& key) {
  return key.member == &NoiseOptions::duration_precision || key.member == &NoiseOptions::overhead_precision;
}

/// Returns whether the effective options list the key: those that came later only where they have an
/// effect, so that the options of older runs stay what they were.
bool is_listed(NoiseKey const& key, NoiseOptions const& options) {
  if (is_precision(key)) return options.*key.member > 0;
  if (options.distribution == NoiseDistribution::calibrated) return key.member == &NoiseOptions::scale;
  return key.member != &NoiseOptions::run_speed_deviation || options.run_speed_deviation > 0;
}

NoiseDistribution read_distribution(JsonReader const& json) { return noise_distribution(json.one_of()); }

/// Reads "distribution", or "type" as in other objects of a scenario.
NoiseDistribution read_distribution_key(JsonReader const& json) {
  auto const distribution = json.find("distribution");
  auto const type = json.find("type");
  if (distribution && type) type->fail("stands beside \"distribution\" (both name it). Give one of them");
  if (distribution) return read_distribution(*distribution);
  return type ? read_distribution(*type) : NoiseDistribution::none;
}

}  // namespace

ObjectKeys const& noise_table() {
  static ObjectKeys const table{.title = "noise",
                                .meaning =
                                    "How durations of kernels differ from their means. Instead of the "
                                    "object, the name of a distribution "
                                    "may be given.",
                                .keys = make_noise_keys()};
  return table;
}

ValueRules noise_rules() { return {rule::word(noise_distribution_names()), rule::object(noise_table)}; }

NoiseOptions read_noise(JsonReader const& given) {
  JsonReader const json = given.by(noise_rules);
  if (json.is_string()) return {.distribution = read_distribution(json)};
  NoiseOptions options{.distribution = read_distribution_key(json)};
  for (NoiseKey const& entry : noise_keys) {
    auto const value = json.find(entry.key);
    if (!value) continue;
    if (options.distribution == NoiseDistribution::calibrated && !is_precision(entry) &&
        !is_listed(entry, options))
      value->fail("stands beside calibrated noise (the kernel file has its own). Remove it");
    options.*entry.member = value->quantity();
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
