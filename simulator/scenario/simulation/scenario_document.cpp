#include "factosim/scenario_document.hpp"

#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"
#include "simulator/scenario/simulation/simulate.hpp"

namespace factosim {

namespace {

Scenario scenario_in(ScenarioDocument const& document) {
  Scenario scenario = scenario_of(document.json, document.file.string(), document.graph);
  scenario.settings = document.settings;
  return scenario;
}

void use_policy(SimulationPlan& plan, RunControl const& control) {
  auto* const tasks = std::get_if<TaskPlan>(&plan);
  if (tasks == nullptr || tasks->stored().recording)
    throw InputError(head_of(plan).file + "#/application/type",
                     "has no policy that could be replaced (a study, or a trace that says which worker runs "
                     "what). Leave the scheduler out");
  SchedulerOptions& policy = tasks->scenario.scheduler;
  policy = {.type = control.scheduler_name,
            .own = control.scheduler,
            .own_values = control.scheduler_values,
            .seed = policy.seed};
}

}  // namespace

ScenarioDocument read_scenario_document(std::filesystem::path const& file,
                                        std::vector<std::string> const& settings) {
  ScenarioDocument document{.file = file, .json = parse_json_file(file)};
  change(document, settings);
  return document;
}

void change(ScenarioDocument& document, std::vector<std::string> const& settings) {
  auto const whole = set_keys(document.json, settings);
  document.settings.insert(document.settings.end(), whole.begin(), whole.end());
}

nlohmann::ordered_json simulate(ScenarioDocument const& document, RunControl const& control) {
  Scenario scenario = scenario_in(document);
  if (control.series_points && !control.out.empty()) scenario.outputs.series_points = *control.series_points;
  SimulationPlan plan = plan_simulation(std::move(scenario), {},
                                        control.scheduler ? TaskStorage::always : TaskStorage::where_needed);
  if (control.scheduler) use_policy(plan, control);
  return run_controlled(plan, control).json;
}

Bounds bounds_of(ScenarioDocument const& document) {
  SimulationPlan const plan = plan_simulation(scenario_in(document));
  return bounds_of(task_plan(plan));
}

TileMap distribute(ScenarioDocument const& document) {
  return placement_of_document(document.json, document.file.string()).distribution.map;
}

}  // namespace factosim
