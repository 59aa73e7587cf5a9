#include "simulator/scenario/runtime_keys.hpp"

#include <fmt/format.h>

#include <array>

namespace factosim {

namespace {

struct SecondsKey {
  char const* key;
  Seconds RuntimeOptions::*member;
};
struct CountKey {
  char const* key;
  int RuntimeOptions::*member;
  int minimum;
};
struct SwitchKey {
  char const* key;
  bool RuntimeOptions::*member;
};

constexpr std::array seconds_keys{
    SecondsKey{"submission_cost_s", &RuntimeOptions::submission_cost},
    SecondsKey{"push_cost_s", &RuntimeOptions::push_cost},
    SecondsKey{"fetch_cost_s", &RuntimeOptions::fetch_cost},
    SecondsKey{"progress_cost_s", &RuntimeOptions::progress_cost},
    SecondsKey{"wont_use_cost_s", &RuntimeOptions::wont_use_cost},
    SecondsKey{"gpu_queue_cost_s", &RuntimeOptions::gpu_queue_cost},
    SecondsKey{"gpu_malloc_cost_s", &RuntimeOptions::gpu_malloc_cost},
    SecondsKey{"gpu_free_cost_s", &RuntimeOptions::gpu_free_cost},
    SecondsKey{"pinning_cost_s", &RuntimeOptions::pinning_cost},
    SecondsKey{"host_alloc_cost_s_per_MiB", &RuntimeOptions::host_alloc_cost},
};
constexpr std::array count_keys{
    CountKey{"gpu_pipeline", &RuntimeOptions::gpu_pipeline, 0},
    CountKey{"fetch_limit", &RuntimeOptions::fetch_limit, 1},
    CountKey{"prefetch_limit", &RuntimeOptions::prefetch_limit, 1},
    CountKey{"idle_limit", &RuntimeOptions::idle_limit, 1},
    CountKey{"max_gpus", &RuntimeOptions::max_gpus, 0},
    CountKey{"cores_per_gpu", &RuntimeOptions::cores_per_gpu, 0},
    CountKey{"reserved_cores", &RuntimeOptions::reserved_cores, 0},
    CountKey{"oversubscribed_workers", &RuntimeOptions::oversubscribed_workers, 0},
    CountKey{"communication_cores", &RuntimeOptions::communication_cores, 0},
    CountKey{"max_submitted_tasks", &RuntimeOptions::max_submitted_tasks, 0},
    CountKey{"min_submitted_tasks", &RuntimeOptions::min_submitted_tasks, 0},
};
constexpr std::array switch_keys{
    SwitchKey{"prefetch", &RuntimeOptions::prefetch},
    SwitchKey{"wont_use", &RuntimeOptions::wont_use},
    SwitchKey{"out_of_core", &RuntimeOptions::out_of_core},
    SwitchKey{"allocate_at_submission", &RuntimeOptions::allocate_at_submission},
    SwitchKey{"chunk_cache", &RuntimeOptions::chunk_cache},
    SwitchKey{"gpus_wait_for_pinning", &RuntimeOptions::gpus_wait_for_pinning},
};

void read_fraction(JsonReader const& json, std::string const& key, double& value) {
  auto const fraction = json.find(key);
  if (!fraction) return;
  value = fraction->non_negative();
  if (value > 1)
    fraction->fail("is above 1 (tiles cannot use more than the memory). Give a fraction, such as 0.9");
}

}  // namespace

RuntimeOptions read_runtime(JsonReader const& json, RuntimeOptions defaults) {
  RuntimeOptions options = std::move(defaults);
  for (auto const& [key, member] : seconds_keys)
    if (auto const value = json.find(key)) options.*member = Seconds{value->non_negative()};
  for (auto const& [key, member, minimum] : count_keys)
    if (auto const value = json.find(key))
      options.*member = static_cast<int>(value->integer(minimum, 1'000'000));
  for (auto const& [key, member] : switch_keys)
    if (auto const value = json.find(key)) options.*member = value->boolean();
  if (auto const unrolling = json.find("unrolling"))
    options.unrolling = unrolling_named(unrolling->one_of(unrolling_names()));
  if (options.min_submitted_tasks > 0 && options.min_submitted_tasks >= options.max_submitted_tasks)
    json.at("min_submitted_tasks", "fewer than \"max_submitted_tasks\"")
        .fail(
            fmt::format("is not below \"max_submitted_tasks\" ({}) (submission would never wait). Give less",
                        options.max_submitted_tasks));
  if (auto const fraction = json.find("gpu_memory_fraction")) {
    options.gpu_memory_fraction = fraction->positive();
    if (options.gpu_memory_fraction > 1)
      fraction->fail(
          "is above 1 (tiles cannot use more than the GPU's memory). Give a fraction, such as 0.9");
  }
  read_fraction(json, "preallocated_ram_fraction", options.preallocated_ram);
  json.finish();
  return options;
}

nlohmann::ordered_json effective_runtime(RuntimeOptions const& options) {
  nlohmann::ordered_json out;
  for (auto const& [key, member] : seconds_keys) out[key] = (options.*member).value;
  for (auto const& [key, member, minimum] : count_keys) out[key] = options.*member;
  for (auto const& [key, member] : switch_keys) out[key] = options.*member;
  out["unrolling"] = name_of(options.unrolling);
  out["gpu_memory_fraction"] = options.gpu_memory_fraction;
  out["preallocated_ram_fraction"] = options.preallocated_ram;
  return out;
}

}  // namespace factosim
