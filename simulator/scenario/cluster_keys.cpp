#include "simulator/scenario/cluster_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>

#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"

namespace factosim {

namespace {

/// A key of "runtime" or "scheduler" and its option. Switches are booleans, counts have a minimum, all other
/// numbers are not negative.
template <class Options>
struct OptionKey {
  char const* key;
  std::variant<Seconds Options::*, double Options::*, int Options::*, bool Options::*> member;
  int minimum = 0;
};

using RuntimeKey = OptionKey<RuntimeOptions>;
constexpr std::array runtime_keys{
    RuntimeKey{"submission_cost_s", &RuntimeOptions::submission_cost},
    RuntimeKey{"push_cost_s", &RuntimeOptions::push_cost},
    RuntimeKey{"fetch_cost_s", &RuntimeOptions::fetch_cost},
    RuntimeKey{"progress_cost_s", &RuntimeOptions::progress_cost},
    RuntimeKey{"wont_use_cost_s", &RuntimeOptions::wont_use_cost},
    RuntimeKey{"gpu_queue_cost_s", &RuntimeOptions::gpu_queue_cost},
    RuntimeKey{"gpu_malloc_cost_s", &RuntimeOptions::gpu_malloc_cost},
    RuntimeKey{"gpu_free_cost_s", &RuntimeOptions::gpu_free_cost},
    RuntimeKey{"pinning_cost_s", &RuntimeOptions::pinning_cost},
    RuntimeKey{"host_alloc_cost_s_per_MiB", &RuntimeOptions::host_alloc_cost},
    RuntimeKey{"gpu_pipeline", &RuntimeOptions::gpu_pipeline},
    RuntimeKey{"fetch_limit", &RuntimeOptions::fetch_limit, 1},
    RuntimeKey{"prefetch_limit", &RuntimeOptions::prefetch_limit, 1},
    RuntimeKey{"idle_limit", &RuntimeOptions::idle_limit, 1},
    RuntimeKey{"max_gpus", &RuntimeOptions::max_gpus},
    RuntimeKey{"cores_per_gpu", &RuntimeOptions::cores_per_gpu},
    RuntimeKey{"reserved_cores", &RuntimeOptions::reserved_cores},
    RuntimeKey{"oversubscribed_workers", &RuntimeOptions::oversubscribed_workers},
    RuntimeKey{"communication_cores", &RuntimeOptions::communication_cores},
    RuntimeKey{"max_submitted_tasks", &RuntimeOptions::max_submitted_tasks},
    RuntimeKey{"min_submitted_tasks", &RuntimeOptions::min_submitted_tasks},
    RuntimeKey{"prefetch", &RuntimeOptions::prefetch},
    RuntimeKey{"wont_use", &RuntimeOptions::wont_use},
    RuntimeKey{"out_of_core", &RuntimeOptions::out_of_core},
    RuntimeKey{"allocate_at_submission", &RuntimeOptions::allocate_at_submission},
    RuntimeKey{"chunk_cache", &RuntimeOptions::chunk_cache},
    RuntimeKey{"gpus_wait_for_pinning", &RuntimeOptions::gpus_wait_for_pinning},
};

constexpr char const* buffer_round_key = "buffer_round_s";

using SchedulerKey = OptionKey<SchedulerOptions>;
constexpr std::array scheduler_keys{
    SchedulerKey{"alpha", &SchedulerOptions::alpha},
    SchedulerKey{"beta", &SchedulerOptions::beta},
    SchedulerKey{"gamma_us_per_J", &SchedulerOptions::gamma},
    SchedulerKey{"idle_power_W", &SchedulerOptions::idle_power},
    SchedulerKey{"transfer_factor", &SchedulerOptions::transfer_factor},
};

void read_option(JsonReader const& json, Seconds& option, int /*minimum*/) { option = {json.non_negative()}; }
void read_option(JsonReader const& json, double& option, int /*minimum*/) { option = json.non_negative(); }
void read_option(JsonReader const& json, bool& option, int /*minimum*/) { option = json.boolean(); }
void read_option(JsonReader const& json, int& option, int minimum) {
  option = static_cast<int>(json.integer(minimum, 1'000'000));
}

template <class Options, std::size_t count>
void read_options(JsonReader const& json, std::array<OptionKey<Options>, count> const& keys, Options& out) {
  for (auto const& key : keys)
    if (auto const value = json.find(key.key))
      std::visit([&](auto member) { read_option(*value, out.*member, key.minimum); }, key.member);
}

double in_file(Seconds option) { return option.value; }
template <class Option>
Option in_file(Option option) {
  return option;
}

template <class Options, std::size_t count>
void add_options(nlohmann::ordered_json& out, std::array<OptionKey<Options>, count> const& keys,
                 Options const& options) {
  for (auto const& key : keys)
    std::visit([&](auto member) { out[key.key] = in_file(options.*member); }, key.member);
}

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
    NoiseKey{"duration_precision", &NoiseOptions::duration_precision, 0, 0.5},
    NoiseKey{"overhead_precision", &NoiseOptions::overhead_precision, 0, 1},
};

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

RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults) {
  RuntimeOptions options = std::move(defaults);
  read_options(json, runtime_keys, options);
  if (auto const unrolling = json.find("unrolling"))
    options.unrolling = unrolling_named(unrolling->one_of(unrolling_names()));
  if (options.min_submitted_tasks > 0 && options.min_submitted_tasks >= options.max_submitted_tasks)
    json.at("min_submitted_tasks", "fewer than \"max_submitted_tasks\"")
        .fail(
            fmt::format("is not below \"max_submitted_tasks\" ({}) (submission would never wait). Give less",
                        options.max_submitted_tasks));
  if (auto const round = json.find(buffer_round_key)) options.buffer_round = {round->non_negative()};
  if (auto const fraction = json.find("gpu_memory_fraction")) {
    options.gpu_memory_fraction = fraction->positive();
    if (options.gpu_memory_fraction > 1)
      fraction->fail(
          "is above 1 (tiles cannot use more than the GPU's memory). Give a fraction, such as 0.9");
  }
  if (auto const fraction = json.find("preallocated_ram_fraction")) {
    options.preallocated_ram = fraction->non_negative();
    if (options.preallocated_ram > 1)
      fraction->fail("is above 1 (tiles cannot use more than the memory). Give a fraction, such as 0.9");
  }
  json.finish();
  return options;
}

nlohmann::ordered_json effective_runtime(RuntimeOptions const& options) {
  nlohmann::ordered_json out;
  add_options(out, runtime_keys, options);
  out["unrolling"] = name_of(options.unrolling);
  out["gpu_memory_fraction"] = options.gpu_memory_fraction;
  out["preallocated_ram_fraction"] = options.preallocated_ram;
  // Came later: not listed unless set, so that the options of older runs stay what they were.
  if (options.buffer_round != RuntimeOptions{}.buffer_round)
    out[buffer_round_key] = options.buffer_round.value;
  return out;
}

Platform read_platform_key(JsonReader const& json) {
  if (json.is_string()) return read_platform(read_path_or_name(json, ShippedKind::platform));
  auto const file = read_path_or_name(json.at("file", "the platform's file"), ShippedKind::platform);
  auto const nodes = json.find("nodes");
  auto const powers = json.find("power");
  json.finish();
  Platform platform = nodes ? read_platform(file, *nodes) : read_platform(file);
  if (!powers) return platform;
  for (NodeType& type : platform.types)
    if (auto const power = powers->find(type.name)) type.power = read_power(*power);
  powers->finish();
  return platform;
}

nlohmann::ordered_json effective_platform(Platform const& platform) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const type : platform.nodes) {  // consecutive nodes of one type form one entry
    if (nodes.empty() || nodes.back()["type"] != platform.types[type].name)
      nodes.push_back({{"type", platform.types[type].name}, {"count", 0}});
    nodes.back()["count"] = nodes.back()["count"].get<int>() + 1;
  }
  return {{"nodes", nodes}};
}

SchedulerOptions read_scheduler(JsonReader const& json) {
  SchedulerOptions options;
  if (auto const type = json.find("type")) options.type = type->one_of(scheduler_names());
  read_options(json, scheduler_keys, options);
  json.finish();
  return options;
}

nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options) {
  nlohmann::ordered_json out = {{"type", options.type}};
  add_options(out, scheduler_keys, options);
  return out;
}

NoiseOptions read_noise(JsonReader const& json) {
  if (json.is_string()) return {.distribution = read_distribution(json)};
  NoiseOptions options{.distribution = read_distribution_key(json)};
  for (NoiseKey const& entry : noise_keys) {
    auto const& [key, member, minimum, maximum] = entry;
    auto const value = json.find(key);
    if (!value) continue;
    if (options.distribution == NoiseDistribution::calibrated && !is_precision(entry) &&
        !is_listed(entry, options))
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
