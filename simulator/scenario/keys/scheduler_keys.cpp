#include "simulator/scenario/keys/scheduler_keys.hpp"

#include <array>
#include <utility>

#include "simulator/base/plugin/plugin_keys.hpp"
#include "simulator/base/plugin/plugin_policy.hpp"
#include "simulator/scenario/keys/option_keys.hpp"
#include "simulator/tasks/schedule/read_schedule.hpp"

namespace factosim {

namespace {

using SchedulerKey = OptionKey<SchedulerOptions>;
constexpr std::array scheduler_keys{
    SchedulerKey{"alpha", &SchedulerOptions::alpha, "dm family: weight of the expected end", "",
                 "StarPU sched_policies/deque_modeling_policy_data_aware.c"},
    SchedulerKey{"beta", &SchedulerOptions::beta, "dm family: weight of the predicted transfers"},
    SchedulerKey{"gamma_us_per_J", &SchedulerOptions::gamma,
                 "dm family: weight of energy; needs `power` in the platform", "us/J"},
    SchedulerKey{
        "idle_power_W", &SchedulerOptions::idle_power,
        "dm family: power of the whole machine, for the energy of a run that a decision makes longer", "W"},
    SchedulerKey{
        "transfer_factor", &SchedulerOptions::transfer_factor,
        "dm family: multiplies every predicted transfer (ICPADS 2020: 10, with a `gpu_pipeline` of 4)"},
};

using DartsKey = OptionKey<DartsOptions>;
constexpr std::array darts_keys{
    DartsKey{"queued_tasks", &DartsOptions::queued_tasks,
             "tasks in the queue of each memory node, whose data are prefetched", "tasks",
             "StarPU 1.5, `STARPU_NTASKS_THRESHOLD`", 1},
    DartsKey{"max_tiles", &DartsOptions::max_tiles, "tiles among which a plan chooses; 0: all", "tiles",
             "`STARPU_DARTS_THRESHOLD` (1: 200)"},
    DartsKey{"selection_order", &DartsOptions::selection_order,
             "order of the criteria for a tile; the list is in `simulator/runtime/policies/README.md`", "",
             "`STARPU_DARTS_DOPT_SELECTION_ORDER`", 0, 7},
    DartsKey{"free_task_memory", &DartsOptions::free_task_memory,
             "which memory node gets a task whose data are all there: 0 the first, 1 the one with the fewest "
             "planned tasks, 2 in turns",
             "", "`STARPU_DARTS_PUSH_FREE_TASK_ON_GPU_WITH_LEAST_TASK_IN_PLANNED_TASK`", 0, 2},
    DartsKey{"free_tasks_first", &DartsOptions::free_tasks_first,
             "such a task goes before all planned ones; else before the first that misses a tile", "",
             "`STARPU_DARTS_FREE_PUSHED_TASK_POSITION`, inverted"},
    DartsKey{"almost_free", &DartsOptions::almost_free,
             "without a tile that completes the data of a task, plan a task that misses two tiles", "",
             "`STARPU_DARTS_APP`"},
    DartsKey{"priorities", &DartsOptions::priorities, "priorities decide between equal tiles", "",
             "`STARPU_DARTS_PRIO`"},
    DartsKey{"most_urgent", &DartsOptions::most_urgent,
             "without a useful tile, run the most urgent task; else the first one", "",
             "`STARPU_DARTS_HIGHEST_PRIORITY_TASK_RETURNED_IN_DEFAULT_CASE`"},
    DartsKey{"planned_tiles_count", &DartsOptions::planned_tiles_count,
             "tiles of planned and queued tasks count as present", "", "`STARPU_DARTS_SIMULATE_MEMORY`"},
    DartsKey{"present_tiles_listed", &DartsOptions::present_tiles_listed,
             "tiles that are present can be chosen", "",
             "`STARPU_DARTS_CAN_A_DATA_BE_IN_MEM_AND_IN_NOT_USED_YET`"},
    DartsKey{"as_starpu", &DartsOptions::as_starpu,
             "with StarPU 1.5's deviations from the published rules; `false`: without", ""},
};

constexpr char const* darts_type = "darts";
constexpr char const* static_type = "static";

std::vector<std::string> scheduler_types() {
  std::vector<std::string> out = scheduler_names();
  out.emplace_back(static_type);
  return out;
}

ValueRules scheduler_rules() { return {rule::object(scheduler_table)}; }

}  // namespace

ObjectKeys const& scheduler_table() {
  static ObjectKeys const table{
      .title = "scheduler",
      .meaning = "The policy of each node; its rules are in `simulator/runtime/policies/README.md`.",
      .keys = {{.name = "type",
                .value = {rule::word(scheduler_types()), plugin_rule()},
                .meaning =
                    "name of the policy; `static`: the workers and orders in `file`; or path of a shared "
                    "library that offers a policy",
                .default_value = SchedulerOptions{}.type}},
      .variants = {
          {.selector = "type",
           .word = static_type,
           .keys = {{.name = "file",
                     .value = {rule::path()},
                     .meaning = "a [schedule](#schedule), StarPU's `sched.rec` or NNTile's `execution.json`",
                     .required = true}}},
          {.selector = "type", .word = darts_type, .keys = keys_of(darts_keys)},
          plugin_variant("A policy of your own, with its own keys: see `scenarios/guide/extend.md`."),
          {.selector = "", .word = "", .keys = keys_of(scheduler_keys)}}};
  return table;
}

SchedulerOptions read_scheduler(JsonReader const& given) {
  JsonReader const json = given.by(scheduler_rules);
  if (auto file = plugin_file(json)) {
    auto plugin = std::make_shared<PolicyPlugin const>(std::move(*file));
    auto values = read_plugin_values(json, plugin->keys());
    json.finish();
    return policy_of_plugin(std::move(plugin), std::move(values));
  }
  SchedulerOptions options;
  if (auto const type = json.find("type")) options.type = type->one_of();
  if (options.type == static_type)
    (void)json.at("file", "the schedule that all workers follow");
  else if (options.type == darts_type)
    read_options(json, darts_keys, options.darts);
  else
    read_options(json, scheduler_keys, options);
  json.finish();
  return options;
}

std::shared_ptr<StaticSchedule const> read_static_schedule(JsonReader const& scheduler) {
  auto const type = scheduler.find("type");
  bool const is_static = type && type->is_string() && type->string() == static_type;
  return is_static ? read_schedule(scheduler.at("file").path()) : nullptr;
}

nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options, StaticSchedule const* schedule) {
  if (schedule != nullptr)
    return {{"type", options.type}, {"file", schedule->file}, {"content", schedule->content}};
  nlohmann::ordered_json out = {{"type", options.type}};
  for (auto const& [name, value] : options.own_values) out[name] = json_of(value);
  if (options.own) return out;
  if (options.type == darts_type)
    add_options(out, darts_keys, options.darts);
  else
    add_options(out, scheduler_keys, options);
  return out;
}

}  // namespace factosim
