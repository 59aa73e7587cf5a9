#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/result.hpp"
#include "factosim/run_control.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

struct TaskProgram;

/// A scenario as its JSON document, which may be changed before it is simulated.
struct ScenarioDocument {
  std::filesystem::path file;  // relative paths in the document start from its folder; error messages name it
  nlohmann::json json;
  std::vector<std::string> settings = {};  // those that `json` has been changed by, for the record of results
  std::shared_ptr<TaskProgram const> graph = {};  // instead of the application's "file"; null: that is read
};

/// Reads a scenario file; `settings` are "/json/pointer=value", as of `factosim run --set`. Throws InputError if the
/// file is no JSON, or a setting is wrong.
[[nodiscard]] ScenarioDocument read_scenario_document(std::filesystem::path const& file,
                                                      std::vector<std::string> const& settings = {});

/// Changes a document by settings, as above. Throws InputError.
void change(ScenarioDocument& document, std::vector<std::string> const& settings);

/// Simulates a scenario of any kind and returns its result, as `factosim run` writes it into result.json. Throws
/// InputError if the document is no scenario, or `control` asks for what it has not; InfeasibleError if the scenario
/// has no solution; RunStopped.
nlohmann::ordered_json simulate(ScenarioDocument const& document, RunControl const& control = {});

/// Returns lower bounds of the makespan without simulating. Throws as `simulate`.
[[nodiscard]] Bounds bounds_of(ScenarioDocument const& document);

/// Returns the owners of the tiles by the scenario's distribution. Throws as `simulate`, and InputError for
/// applications without tiles.
[[nodiscard]] TileMap distribute(ScenarioDocument const& document);

}  // namespace factosim
