#include "factosim/scenario_document.hpp"

#include "simulator/core/json_reader.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/settings.hpp"
#include "simulator/scenario/study.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

ScenarioDocument read_scenario_document(std::filesystem::path const& file,
                                        std::vector<std::string> const& settings) {
  ScenarioDocument document{.file = file, .json = parse_json_file(file)};
  apply_settings(document.json, settings);
  return document;
}

nlohmann::ordered_json simulate(ScenarioDocument const& document) {
  if (auto const study = find_study(document.json, document.file.string()))
    return simulate(*study, false).json;
  Scenario const scenario = scenario_of(document.json, document.file.string());
  return result_json(simulate(scenario, prepare(scenario), nullptr, {}));
}

}  // namespace factosim
