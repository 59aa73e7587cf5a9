#include "models/unit_costs.hpp"

#include <stdexcept>
#include <utility>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

namespace {

Seconds read_startup(JsonReader const& json) {
  auto const startup = json.find("startup_s");
  return {startup ? startup->number() : 0.0};
}

CostCurve::Shape read_shape(JsonReader const& json) {
  std::string const type =
      json.at("type", "linear, saturating or samples").one_of({"linear", "saturating", "samples"});
  if (type == "linear")
    return CostCurve::Linear{.startup = read_startup(json),
                             .rate = json.at("operations_per_s", "the speed").number()};
  if (type == "saturating")
    return CostCurve::Saturating{
        .startup = read_startup(json),
        .peak = json.at("operations_per_s", "the speed on large blocks").number(),
        .ramp = json.at("ramp_operations", "of a block that runs at 63 % of that").number()};
  CostCurve::Samples samples;
  for (JsonReader const& value : json.at("operations", "of the blocks that were timed").elements())
    samples.work.push_back(value.number());
  for (JsonReader const& value : json.at("seconds", "what they took").elements())
    samples.seconds.push_back({value.number()});
  return samples;
}

CostCurve read_curve(JsonReader const& json) {
  CostCurve::Shape shape = read_shape(json);
  json.finish();
  try {
    return CostCurve(std::move(shape));
  } catch (std::invalid_argument const& error) {
    json.fail(error.what());
  }
}

UnitCosts::Unit read_unit(JsonReader const& json) {
  UnitCosts::Unit unit;
  unit.unit_class = json.at("class", "cpu, gpu or phi").one_of({"cpu", "gpu", "phi"});
  unit.model = json.at("model", "as sold").string();
  for (auto const& [kernel, curve] : json.at("kernels", "a curve for each kernel").members())
    unit.kernels.emplace(kernel, read_curve(curve));
  json.finish();
  return unit;
}

}  // namespace

UnitCosts read_unit_costs(std::filesystem::path const& file) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json(document, file.string());
  json.check_own_format("factosim-unit-costs", 1);
  UnitCosts costs;
  costs.file = file.string();
  costs.estimate = json.at("estimate", "whether these are measurements").boolean();
  costs.provenance = json.at("provenance", "who measured, or what is assumed").string();
  for (auto const& [machine, units] : json.at("machines", "by node type").members()) {
    UnitCosts::Machine& places = costs.machines[machine];
    for (auto const& [place, unit] : units.members()) places.emplace(place, read_unit(unit));
  }
  json.finish();
  return costs;
}

}  // namespace factosim
