#include "models/unit_costs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "simulator/base/core/fields.hpp"

namespace factosim {

namespace {

void check_positive(double value, char const* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(
        fmt::format("{} is {} (the unit would never end a block). Give a positive number", what, value));
}

void check_startup(Seconds startup) {
  if (!(startup.value >= 0) || !std::isfinite(startup.value))
    throw std::invalid_argument(fmt::format(
        "the startup is {} s (a block would end before it starts). Give a number >= 0", startup.value));
}

void check(CostCurve::Linear const& c) {
  check_startup(c.startup);
  check_positive(c.rate, "the speed");
}

void check(CostCurve::Saturating const& c) {
  check_startup(c.startup);
  check_positive(c.peak, "the speed");
  check_positive(c.ramp, "the ramp");
}

void check(CostCurve::Samples const& c) {
  if (c.work.size() < 2 || c.work.size() != c.seconds.size())
    throw std::invalid_argument(
        fmt::format("{} amounts of work and {} durations (a curve needs as many of each, and two at least). "
                    "Add what is missing",
                    c.work.size(), c.seconds.size()));
  for (std::size_t i = 0; i < c.work.size(); ++i) {
    check_positive(c.work[i], "the work of a sample");
    check_positive(c.seconds[i].value, "the duration of a sample");
    if (i > 0 && (c.work[i] <= c.work[i - 1] || c.seconds[i] <= c.seconds[i - 1]))
      throw std::invalid_argument(
          fmt::format("sample {} has {} of work in {} s after {} in {} s (the curve is not monotone: more "
                      "work must take longer). Sort the samples, and leave out or average the odd ones",
                      i, c.work[i], c.seconds[i].value, c.work[i - 1], c.seconds[i - 1].value));
  }
}

double seconds(CostCurve::Linear const& c, double work) { return c.startup.value + work / c.rate; }

double seconds(CostCurve::Saturating const& c, double work) {
  return c.startup.value + work / (c.peak * -std::expm1(-work / c.ramp));
}

double seconds(CostCurve::Samples const& c, double work) {
  auto const above = std::upper_bound(c.work.begin() + 1, c.work.end() - 1, work);
  auto const i = static_cast<std::size_t>(above - c.work.begin());
  double const slope = (c.seconds[i] - c.seconds[i - 1]).value / (c.work[i] - c.work[i - 1]);
  double const first = c.seconds[0].value;
  double const extended = c.seconds[i - 1].value + slope * (work - c.work[i - 1]);
  // Below the first sample a steep first segment would cross zero; the line from the origin is used there.
  return work < c.work[0] ? std::max(extended, first * work / c.work[0]) : extended;
}

}  // namespace

CostCurve::CostCurve(Shape shape) : shape_(std::move(shape)) {
  std::visit([](auto const& c) { check(c); }, shape_);
}

Seconds CostCurve::duration(double work) const {
  return {std::visit([work](auto const& c) { return seconds(c, work); }, shape_)};
}

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
                  "`factosim-unit-costs`, version 1.",
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
