#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// A scenario as its JSON document, which may be changed before it is simulated.
struct ScenarioDocument {
  std::filesystem::path file;  // relative paths in the document start from its folder; error messages name it
  nlohmann::json json;
};

/// Reads a scenario file; `settings` are "/json/pointer=value", as of `factosim run --set`. Throws InputError if the
/// file is no JSON, or a setting is wrong.
[[nodiscard]] ScenarioDocument read_scenario_document(std::filesystem::path const& file,
                                                      std::vector<std::string> const& settings = {});

/// Simulates a scenario of any kind and returns its result, as `factosim run` writes it into result.json. Throws
/// InputError if the document is no scenario, InfeasibleError if the scenario has no solution.
[[nodiscard]] nlohmann::ordered_json simulate(ScenarioDocument const& document);

}  // namespace factosim
