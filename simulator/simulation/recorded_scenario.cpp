#include "simulator/simulation/recorded_scenario.hpp"

#include "factosim/error.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/simulation/provenance.hpp"

namespace factosim {

PlacedScenario scenario_of_result(std::filesystem::path const& result, nlohmann::json const& document) {
  JsonReader const json(document, result.string());
  json.check_format("factosim-result", 1);
  JsonReader const provenance = json.at("provenance", "where the result comes from");
  std::filesystem::path const file = provenance.at("scenario", "the scenario's file").string();
  std::vector<std::string> settings;
  for (JsonReader const& setting : provenance.at("settings", "what overrode it").elements())
    settings.push_back(setting.string());
  PlacedScenario scenario = place(read_scenario(file, settings));
  auto const without_outputs = [](nlohmann::json options) {
    options.erase("outputs");
    return options;
  };
  if (without_outputs(effective_options(scenario)) !=
      without_outputs(provenance.at("options", "every option in force").value()))
    throw InputError(file.string() + "#",
                     "is not what it was when that run was simulated (options in force differ). Simulate it "
                     "again");
  scenario.seed = static_cast<std::uint64_t>(provenance.at("seed").integer(0, INT64_MAX));
  return scenario;
}

}  // namespace factosim
