#include "simulator/scenario/simulation/result_scenario.hpp"

#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/trace/native_trace.hpp"

namespace factosim {

namespace fs = std::filesystem;

namespace {

/// Returns what the Python package has recorded: the scenario that was no file, or the class of the policy.
nlohmann::json of_python(nlohmann::json const& result, char const* key) {
  return result.value(nlohmann::json::json_pointer("/provenance/python") / key, nlohmann::json());
}

}  // namespace

nlohmann::json python_scenario(nlohmann::json const& result) { return of_python(result, "scenario"); }

std::string python_policy(nlohmann::json const& result) {
  nlohmann::json const policy = of_python(result, "policy");
  return policy.is_string() ? policy.get<std::string>() : "";
}

PlacedScenario named_scenario(std::filesystem::path const& result, nlohmann::json const& document) {
  JsonReader const json(document, result.string());
  json.check_format("factosim-result", 1);
  JsonReader const provenance = json.at("provenance", "where the result comes from");
  std::filesystem::path const file = provenance.at("scenario", "the scenario's file").string();
  if (file == standard_stream)
    throw InputError(result.string() + "#/provenance/scenario",
                     "was read from standard input (it is no more). Run a scenario that is in a file");
  std::vector<std::string> const settings = provenance.at("settings", "what overrode it").strings();
  nlohmann::json const of_dict = python_scenario(document);
  Scenario named = of_dict.is_null() || fs::exists(file) ? read_scenario(file, settings)
                                                         : scenario_of(of_dict, file.string());
  named.settings = settings;
  PlacedScenario scenario = place(std::move(named));
  auto const comparable = [own = !python_policy(document).empty()](nlohmann::json options) {
    options.erase("outputs");
    if (own) options.erase("scheduler");
    return options;
  };
  if (comparable(effective_options(scenario)) !=
      comparable(provenance.at("options", "every option in force").value()))
    throw InputError(
        file.string() + "#",
        "is not what it was when that run was simulated (options in force differ). Simulate it again");
  return scenario;
}

PlacedScenario scenario_of_result(std::filesystem::path const& result, nlohmann::json const& document) {
  if (!python_policy(document).empty())
    throw InputError(result.string() + "#/provenance/python/policy",
                     "is a class (only Python can simulate it again). Give a run with a named policy");
  PlacedScenario scenario = named_scenario(result, document);
  JsonReader const provenance = JsonReader(document, result.string()).at("provenance");
  scenario.seed = static_cast<std::uint64_t>(provenance.at("seed").integer(0, INT64_MAX));
  return scenario;
}

std::optional<fs::path> result_of(fs::path const& path) {
  std::error_code error;
  fs::path const result = fs::is_directory(path, error)          ? path / "result.json"
                          : path.extension() == ".json"          ? (is_chrome_trace(path) ? fs::path() : path)
                          : path.filename() == native_trace_name ? path.parent_path() / "result.json"
                                                                 : fs::path();
  return !result.empty() && fs::exists(result, error) ? std::optional(result) : std::nullopt;
}

std::optional<Trace> trace_of_run(fs::path const& path) {
  auto const result = result_of(path);
  if (result == path) {
    nlohmann::json const document = parse_json_file(path);
    JsonReader(document, path.string()).check_format("factosim-result", 1);
  }
  if (result && !fs::exists(result->parent_path() / native_trace_name)) return std::nullopt;
  return read_trace(result == path ? path.parent_path() / native_trace_name : path);
}

}  // namespace factosim
