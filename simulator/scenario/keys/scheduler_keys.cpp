#include "simulator/scenario/keys/cluster_keys.hpp"

#include <utility>

#include "simulator/base/plugin/plugin.hpp"
#include "simulator/base/plugin/plugin_keys.hpp"
#include "simulator/tasks/schedule/schedule_files.hpp"

namespace factosim {

namespace {

Fields<SchedulerOptions> policy_fields() {
  using O = SchedulerOptions;
  return {field<&O::alpha>("alpha", {rule::non_negative()}, "dm family: weight of the expected end",
                           {.source = "StarPU sched_policies/deque_modeling_policy_data_aware.c"}),
          field<&O::beta>("beta", {rule::non_negative()}, "dm family: weight of the predicted transfers"),
          field<&O::gamma>("gamma_us_per_J", {rule::non_negative("us/J")},
                           "dm family: weight of energy; needs `power` in the platform"),
          field<&O::idle_power>("idle_power_W", {rule::non_negative("W")},
                                "dm family: power of the whole machine, for the energy of a run "
                                "that a decision makes longer"),
          field<&O::transfer_factor>("transfer_factor", {rule::non_negative()},
                                     "dm family: multiplies every predicted transfer (ICPADS "
                                     "2020: 10, with a `gpu_pipeline` of 4)")};
}

Fields<DartsOptions> darts_fields() {
  using D = DartsOptions;
  constexpr int most = 1'000'000;
  return {
      field<&D::queued_tasks>("queued_tasks", {rule::integer(1, most, "tasks")},
                              "tasks in the queue of each memory node, whose data are prefetched",
                              {.source = "StarPU 1.5, `STARPU_NTASKS_THRESHOLD`"}),
      field<&D::max_tiles>("max_tiles", {rule::integer(0, most, "tiles")},
                           "tiles among which a plan chooses; 0: all",
                           {.source = "`STARPU_DARTS_THRESHOLD` (1: 200)"}),
      field<&D::selection_order>(
          "selection_order", {rule::integer(0, 7)},
          "order of the criteria for a tile; the list is in `simulator/runtime/policies/README.md`",
          {.source = "`STARPU_DARTS_DOPT_SELECTION_ORDER`"}),
      field<&D::free_task_memory>(
          "free_task_memory", {rule::integer(0, 2)},
          "which memory node gets a task whose data are all there: 0 the first, 1 the one with "
          "the fewest planned tasks, 2 in turns",
          {.source = "`STARPU_DARTS_PUSH_FREE_TASK_ON_GPU_WITH_LEAST_TASK_IN_PLANNED_TASK`"}),
      field<&D::free_tasks_first>(
          "free_tasks_first",
          "such a task goes before all planned ones; else before the first that misses a tile",
          {.source = "`STARPU_DARTS_FREE_PUSHED_TASK_POSITION`, inverted"}),
      field<&D::almost_free>(
          "almost_free",
          "without a tile that completes the data of a task, plan a task that misses two tiles",
          {.source = "`STARPU_DARTS_APP`"}),
      field<&D::priorities>("priorities", "priorities decide between equal tiles",
                            {.source = "`STARPU_DARTS_PRIO`"}),
      field<&D::most_urgent>("most_urgent",
                             "without a useful tile, run the most urgent task; else the first one",
                             {.source = "`STARPU_DARTS_HIGHEST_PRIORITY_TASK_RETURNED_IN_DEFAULT_CASE`"}),
      field<&D::planned_tiles_count>("planned_tiles_count",
                                     "tiles of planned and queued tasks count as present",
                                     {.source = "`STARPU_DARTS_SIMULATE_MEMORY`"}),
      field<&D::present_tiles_listed>("present_tiles_listed", "tiles that are present can be chosen",
                                      {.source = "`STARPU_DARTS_CAN_A_DATA_BE_IN_MEM_AND_IN_NOT_USED_YET`"}),
      field<&D::as_starpu>("as_starpu",
                           "with StarPU 1.5's deviations from the published rules; `false`: without")};
}

constexpr char const* darts_type = "darts";
constexpr char const* static_type = "static";

std::vector<std::string> scheduler_types() {
  std::vector<std::string> out = scheduler_names();
  out.emplace_back(static_type);
  return out;
}

}  // namespace

Object<SchedulerOptions> const& object_of(SchedulerOptions const* /*any*/) {
  using O = SchedulerOptions;
  ObjectKeys::Variant plugin =
      plugin_variant("A policy of your own, with its own keys: see `scenarios/guide/extend.md`.");
  static Object<O> const object(
      "scheduler", "The policy of each node; its rules are in `simulator/runtime/policies/README.md`.",
      {field<&O::type>("type", {rule::word(scheduler_types()), plugin_rule()},
                       "name of the policy; `static`: the workers and orders in "
                       "`file`; or path of a shared library that offers a policy")},
      {{"type",
        static_type,
        "",
        {field<O>("file", {rule::path()},
                  "a [schedule](#schedule), StarPU's `sched.rec` or NNTile's `execution.json`",
                  {.missing = "the schedule that all workers follow"})}},
       {"type", darts_type, "", within<&O::darts>(darts_fields())},
       {plugin.selector, plugin.word, plugin.meaning, {}, plugin.other_names, plugin.others},
       {"", "", "", policy_fields()}});
  return object;
}

SchedulerOptions read_scheduler(JsonReader const& given) {
  JsonReader const json = given.by(rules_of<SchedulerOptions>);
  if (auto file = plugin_file(json)) {
    auto plugin = std::make_shared<PolicyPlugin const>(std::move(*file));
    auto values = read_plugin_values(json, plugin->keys());
    json.finish();
    return policy_of_plugin(std::move(plugin), std::move(values));
  }
  return read_object<SchedulerOptions>(json);
}

std::shared_ptr<StaticSchedule const> read_static_schedule(JsonReader const& scheduler) {
  auto const type = scheduler.find("type");
  bool const is_static = type && type->is_string() && type->string() == static_type;
  return is_static ? read_schedule(scheduler.at("file").path()) : nullptr;
}

nlohmann::ordered_json effective_scheduler(SchedulerOptions const& options, StaticSchedule const* schedule) {
  if (schedule != nullptr)
    return {{"type", options.type}, {"file", schedule->file}, {"content", schedule->content}};
  if (!options.own) return written(options);
  nlohmann::ordered_json out = {{"type", options.type}};
  for (auto const& [name, value] : options.own_values) out[name] = json_of(value);
  return out;
}

}  // namespace factosim
