#include "simulator/scenario/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/applications/registry.hpp"
#include "simulator/loops/data_parallel_study.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/ring/ring_study.hpp"
#include "simulator/simulation/simulate.hpp"
#include "simulator/simulation/simulation_cost.hpp"

namespace factosim {

namespace {

/// The study that "application" names, or null.
StudyType const* study_type(JsonReader const& application) {
  if (!application.is_object()) return nullptr;
  auto const type = application.find("type");
  if (!type || !type->is_string()) return nullptr;
  auto const& types = study_types();
  auto const found = std::find_if(types.begin(), types.end(),
                                  [name = type->string()](StudyType const& t) { return t.name == name; });
  return found == types.end() ? nullptr : &*found;
}

std::string summary_of(StudyScenario const& scenario, StudyOutcome const& outcome) {
  std::string out;
  if (!scenario.name.empty()) out += fmt::format("{:<14}{}\n", "scenario", scenario.name);
  if (outcome.estimate)
    out += fmt::format("{:<14}ESTIMATE: some speeds or networks are not measurements, see provenance\n", "");
  return out + outcome.summary;
}

}  // namespace

std::vector<StudyType> const& study_types() {
  static std::vector<StudyType> const types{{"ring", read_ring_study},
                                            {"data-parallel", read_data_parallel_study}};
  return types;
}

std::optional<StudyScenario> find_study(nlohmann::json const& document, std::string const& file) {
  JsonReader const json(document, file);
  if (!json.is_object()) return {};
  auto const application = json.find("application");
  StudyType const* const type = application ? study_type(*application) : nullptr;
  if (type == nullptr) return {};

  json.check_format("factosim-scenario", 1);
  StudyScenario s;
  s.file = file;
  if (auto const name = json.find("name")) s.name = name->string();
  if (auto const seed = json.find("seed")) s.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
  if (auto const outputs = json.find("outputs")) s.outputs = read_outputs(*outputs);
  if (s.outputs.series_points > 0)
    json.at("outputs").at("series").fail(
        fmt::format("is asked for (\"{}\" has no series over time). Leave it out", type->name));
  s.study = type->read(json, s.seed);
  return s;
}

void refuse_study(JsonReader const& application) {
  if (StudyType const* const type = study_type(application))
    application.at("type").fail(fmt::format(
        "is \"{}\" (this command works on a graph of tasks). Use `factosim run` or a sweep, or {}",
        type->name, fmt::join(application_names(), ", ")));
}

StudyResult simulate(StudyScenario const& s, bool with_trace) {
  CostMeter const meter;
  StudyOutcome outcome = s.study->simulate(with_trace);

  nlohmann::ordered_json json = result_head(s.name, outcome.estimate, outcome.makespan);
  json["tasks"] = outcome.tasks;
  json["metrics"] = outcome.metrics;
  json.update(outcome.sections);
  json["simulation"] = cost_json(meter.cost(outcome.tasks));
  json["provenance"] = provenance(s.file, s.settings, s.seed);
  json["provenance"]["options"] = s.study->effective_options();
  json["provenance"]["options"]["outputs"] = effective_outputs(s.outputs);
  json["provenance"]["timings"] = s.study->timings();
  std::string summary = summary_of(s, outcome);
  return {std::move(json), std::move(summary), std::move(outcome.trace)};
}

}  // namespace factosim
