#include "simulator/front/reference/file_kinds.hpp"

#include <algorithm>
#include <limits>

#include "models/kernel_model_json.hpp"
#include "models/unit_costs.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/presets.hpp"
#include "platforms/processor_graph_json.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/studies/search/advise_choices.hpp"
#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/tasks/schedule/schedule_files.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

void read_any_platform(nlohmann::json const& document, fs::path const& file) {
  if (document.contains("graph"))
    (void)read_processor_graph(file);
  else
    (void)read_platform_types(file);  // the nodes may be the scenario's
}

/// Reads a file by its own reader.
template <auto reader>
void read_by(nlohmann::json const& /*document*/, fs::path const& file) {
  (void)reader(file);
}

/// Throws what planning throws, which needs the task graph: of up to a million tasks, more take seconds.
void plan_if_small(Scenario scenario) {
  constexpr double most_tasks = 1e6;
  if (simulation_work(scenario).count > most_tasks) return check_scenario(std::move(scenario));
  (void)plan_simulation(std::move(scenario));
}

void add_tables(ValueRules const& rules, std::vector<KeysFunction>& out) {
  for (ValueRule const& rule : rules) {
    if (rule.keys != nullptr && std::ranges::find(out, rule.keys) == out.end()) out.push_back(rule.keys);
    add_tables(rule.items, out);
  }
}

}  // namespace

std::vector<FileKind> const& file_kinds() {
  static std::vector<FileKind> const kinds{
      {.name = "scenario",
       .called = "scenario",
       .keys = scenario_table,
       .marks = {"application"},
       .read = [](nlohmann::json const& document,
                  fs::path const& file) { (void)scenario_of(document, file.string()); },
       .check = [](nlohmann::json const& document,
                   fs::path const& file) { plan_if_small(scenario_of(document, file.string())); }},
      {.name = "platform",
       .called = "platform",
       .keys = platform_table,
       .marks = {"merge", "node_types", "graph"},
       .read = read_any_platform},
      {.name = "network",
       .called = "network",
       .keys = network_preset_table,
       .marks = {"nic"},
       .read = read_by<read_network_file>},
      {.name = "kernels",
       .called = "kernel model",
       .keys = kernels_table,
       .marks = {"kernels"},
       .read = read_by<read_kernel_model>},
      {.name = "sweep",
       .called = "sweep",
       .keys = sweep_table,
       .marks = {"points"},
       .read = [](nlohmann::json const&,
                  fs::path const& file) { (void)read_sweep(file, {}, {.check_values = false}); },
       .check = [](nlohmann::json const&,
                   fs::path const& file) { (void)read_sweep(file, {}, {.check_values = true}); }},
      {.name = "result", .called = "result", .keys = result_table},
      {.name = "schedule",
       .called = "schedule",
       .keys = table_of<StaticSchedule>,
       .marks = {"order"},
       .read = [](nlohmann::json const& document,
                  fs::path const& file) { (void)read_schedule_json(document, file.string()); }},
      {.name = "disk",
       .called = "disk",
       .keys = disk_preset_table,
       .marks = {"read"},
       .read = read_by<read_disk_file>},
      {.name = "unit-costs",
       .called = "unit costs",
       .keys = table_of<UnitCosts>,
       .marks = {"units"},
       .read = read_by<read_unit_costs>},
      {.name = "format-errors",
       .called = "errors of formats",
       .keys = format_errors_table,
       .marks = {"choices"},
       .read = [](nlohmann::json const&, fs::path const& file) {
         (void)read_format_choices(file, std::numeric_limits<double>::infinity());
       }}};
  return kinds;
}

std::string slug(ObjectKeys const& table) {
  std::string out = table.title;
  std::ranges::replace(out, ' ', '-');
  return out;
}

std::vector<KeysFunction> tables_within(ObjectKeys const& table) {
  std::vector<KeysFunction> out;
  for (Key const& key : table.keys) add_tables(key.value, out);
  for (ObjectKeys::Variant const& variant : table.variants) {
    for (Key const& key : variant.keys) add_tables(key.value, out);
    add_tables(variant.others, out);
  }
  return out;
}

std::string unit_of(ValueRules const& rules) {
  for (ValueRule const& rule : rules) {
    if (!rule.unit.empty()) return rule.unit;
    if (std::string unit = unit_of(rule.items); !unit.empty()) return unit;
  }
  return {};
}

}  // namespace factosim
