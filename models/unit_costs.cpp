#include "models/unit_costs.hpp"

#include <stdexcept>

#include "simulator/base/core/fields.hpp"

namespace factosim {

namespace {

/// A curve as its keys state it.
struct CurveKeys {
  std::string type;
  Seconds startup{0};
  double rate = 0, ramp = 0;
  std::vector<double> operations;
  std::vector<Seconds> seconds;

  [[nodiscard]] CostCurve::Shape shape() const {
    if (type == "linear") return CostCurve::Linear{.startup = startup, .rate = rate};
    if (type == "saturating") return CostCurve::Saturating{.startup = startup, .peak = rate, .ramp = ramp};
    return CostCurve::Samples{.work = operations, .seconds = seconds};
  }
};

Object<CurveKeys> const& object_of(CurveKeys const* /*any*/) {
  using O = CurveKeys;
  // What numbers a curve may have, the curve itself says.
  auto const number = [](char const* unit) {
    ValueRule out = rule::any_number();
    out.unit = unit;
    return out;
  };
  auto const startup = [&] {
    return field<&O::startup>(
        {.name = "startup_s", .value = {number("s")}, .meaning = "time before a block's first operation"});
  };
  auto const rate = [&](char const* missing) {
    return field<&O::rate>({.name = "operations_per_s",
                            .value = {number("1/s")},
                            .meaning = "speed, on large blocks if it depends on their size",
                            .required = true,
                            .missing = missing});
  };
  static Object<O> const object(
      {.title = "cost curve",
       .meaning = "Duration of a block as a function of its operations.",
       .fields = {field<&O::type>({.name = "type",
                                   .value = {rule::word({"linear", "saturating", "samples"})},
                                   .meaning = "shape of the curve",
                                   .required = true,
                                   .missing = "linear, saturating or samples"})},
       .variants = {
           {.selector = "type",
            .word = "linear",
            .fields = {startup(), rate("the speed")},
            .meaning = "The startup, then one speed."},
           {.selector = "type",
            .word = "saturating",
            .fields = {startup(), rate("the speed on large blocks"),
                       field<&O::ramp>({.name = "ramp_operations",
                                        .value = {number("operations")},
                                        .meaning = "operations of a block that runs at 63 % of the speed",
                                        .required = true,
                                        .missing = "of a block that runs at 63 % of that"})},
            .meaning = "The speed grows with the size of the block."},
           {.selector = "type",
            .word = "samples",
            .fields = {field<&O::operations>({.name = "operations",
                                              .value = {rule::array({number("operations")})},
                                              .meaning = "of the blocks that were timed, increasing",
                                              .required = true,
                                              .missing = "of the blocks that were timed"}),
                       field<&O::seconds>({.name = "seconds",
                                           .value = {rule::array({number("s")})},
                                           .meaning = "what they took, increasing",
                                           .required = true,
                                           .missing = "what they took"})},
            .meaning = "Timed blocks, with lines between them."}}});
  return object;
}

CostCurve read_curve(JsonReader const& json) {
  auto const keys = read_object<CurveKeys>(json);
  try {
    return CostCurve(keys.shape());
  } catch (std::invalid_argument const& error) {
    json.fail(error.what());
  }
}

ValueRules machine_rules() { return {rule::map({rule::map({rule::object(table_of<UnitCosts::Unit>)})})}; }

}  // namespace

Object<UnitCosts::Unit> const& object_of(UnitCosts::Unit const* /*any*/) {
  using O = UnitCosts::Unit;
  static Object<O> const object(
      {.title = "unit",
       .meaning = "The CPU or an accelerator of a node.",
       .fields = {
           field<&O::unit_class>({.name = "class",
                                  .value = {rule::word({"cpu", "gpu", "phi"})},
                                  .meaning = "kind of unit",
                                  .required = true,
                                  .missing = "cpu, gpu or phi"}),
           field<&O::model>(
               {.name = "model", .meaning = "name of the product", .required = true, .missing = "as sold"}),
           field<O>({.name = "kernels",
                     .value = {rule::map({rule::object(table_of<CurveKeys>)})},
                     .meaning = "a curve for each kernel",
                     .required = true},
                    {.read = [](JsonReader const& json, O& o) {
                      for (auto const& [kernel, curve] : json.members())
                        o.kernels.emplace(kernel, read_curve(curve));
                    }})}});
  return object;
}

Object<UnitCosts> const& object_of(UnitCosts const* /*any*/) {
  using O = UnitCosts;
  static Object<O> const object(
      {.title = "unit costs",
       .meaning = "Durations of blocks of data-parallel loops on whole CPUs and accelerators. "
                  "`factosim-unit-costs`, "
                  "version 1.",
       .fields =
           fields_of_file<O>("factosim-unit-costs") +
           Fields<O>{
               field<&O::estimate>({.name = "estimate",
                                    .meaning = "whether values are assumed and not measured",
                                    .required = true,
                                    .missing = "whether these are measurements"}),
               field<&O::provenance>(
                   {.name = "provenance", .meaning = "who measured, or what is assumed", .required = true}),
               field<O>({.name = "machines",
                         .value = machine_rules(),
                         .meaning = "units by node type and by place in the node: `cpu`, `cuda0`, ...",
                         .required = true,
                         .missing = "by node type"},
                        {.read = [](JsonReader const& json, O& o) {
                          for (auto const& [machine, units] : json.members()) {
                            UnitCosts::Machine& places = o.machines[machine];
                            for (auto const& [place, unit] : units.members())
                              read_object(unit, places[place]);
                          }
                        }})}});
  return object;
}

UnitCosts read_unit_costs(std::filesystem::path const& file) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json = JsonReader(document, file.string()).by(rules_of<UnitCosts>);
  json.check_own_format("factosim-unit-costs", 1);
  auto costs = read_object<UnitCosts>(json);
  costs.file = file.string();
  return costs;
}

}  // namespace factosim
