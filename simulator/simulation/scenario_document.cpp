#include "factosim/scenario_document.hpp"

#include "simulator/core/json_reader.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/simulation/run.hpp"

namespace factosim {

ScenarioDocument read_scenario_document(std::filesystem::path const& file,
                                        std::vector<std::string> const& settings) {
  ScenarioDocument document{.file = file, .json = parse_json_file(file)};
  apply_settings(document.json, settings);
  return document;
}

nlohmann::ordered_json simulate(ScenarioDocument const& document) {
  return run_plan(plan_simulation(scenario_of(document.json, document.file.string()))).json;
}

}  // namespace factosim
