#include "models/unit_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace factosim {

namespace {

void check_positive(double value, char const* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(
        fmt::format("{} is {} (the unit would never end a block). Give a positive number", what, value));
}

}  // namespace

void CostCurve::check() const {
  if (type != Type::samples) {
    if (!(startup.value >= 0) || !std::isfinite(startup.value))
      throw std::invalid_argument(fmt::format(
          "the startup is {} s (a block would end before it starts). Give a number >= 0", startup.value));
    check_positive(rate, "the speed");
    if (type == Type::saturating) check_positive(ramp, "the ramp");
    return;
  }
  if (work.size() < 2 || work.size() != seconds.size())
    throw std::invalid_argument(
        fmt::format("{} amounts of work and {} durations (a curve needs as many of each, and two at least). "
                    "Add what is missing",
                    work.size(), seconds.size()));
  for (std::size_t i = 0; i < work.size(); ++i) {
    check_positive(work[i], "the work of a sample");
    check_positive(seconds[i].value, "the duration of a sample");
    if (i > 0 && (work[i] <= work[i - 1] || seconds[i] <= seconds[i - 1]))
      throw std::invalid_argument(
          fmt::format("sample {} has {} of work in {} s after {} in {} s (the curve is not monotone: more "
                      "work must take longer). Sort the samples, and leave out or average the odd ones",
                      i, work[i], seconds[i].value, work[i - 1], seconds[i - 1].value));
  }
}

Seconds CostCurve::duration(double work_of_block) const {
  if (type == Type::linear) return {startup.value + work_of_block / rate};
  if (type == Type::saturating)
    return {startup.value + work_of_block / (rate * -std::expm1(-work_of_block / ramp))};
  auto const above = std::upper_bound(work.begin() + 1, work.end() - 1, work_of_block);
  auto const i = static_cast<std::size_t>(above - work.begin());
  double const slope = (seconds[i] - seconds[i - 1]).value / (work[i] - work[i - 1]);
  double const extended = seconds[i - 1].value + slope * (work_of_block - work[i - 1]);
  // Below the first sample a steep first segment would cross zero; the line from the origin is used there.
  return {work_of_block < work[0] ? std::max(extended, seconds[0].value * work_of_block / work[0])
                                  : extended};
}

constexpr NamedValues<CostCurve::Type, 3> names_of(CostCurve::Type /*any*/) {
  using enum CostCurve::Type;
  return {"type", {{{linear, "linear"}, {saturating, "saturating"}, {samples, "samples"}}}};
}

Object<CostCurve> const& object_of(CostCurve const* /*any*/) {
  using O = CostCurve;
  // What numbers a curve may have, the curve itself says.
  auto const number = [](char const* unit) {
    ValueRule out = rule::any_number();
    out.unit = unit;
    return out;
  };
  auto const startup = [&] {
    return field<&O::startup>("startup_s", {number("s")}, "time before a block's first operation");
  };
  auto const rate = [&](char const* missing) {
    return field<&O::rate>("operations_per_s", {number("1/s")},
                           "speed, on large blocks if it depends on their size", {.missing = missing});
  };
  static Object<O> const object(
      "cost curve", "Duration of a block as a function of its operations.",
      {field<&O::type>("type", "shape of the curve", {.missing = "linear, saturating or samples"})},
      {{"type", "linear", "The startup, then one speed.", {startup(), rate("the speed")}},
       {"type",
        "saturating",
        "The speed grows with the size of the block.",
        {startup(), rate("the speed on large blocks"),
         field<&O::ramp>("ramp_operations", {number("operations")},
                         "operations of a block that runs at 63 % of the speed",
                         {.missing = "of a block that runs at 63 % of that"})}},
       {"type",
        "samples",
        "Timed blocks, with lines between them.",
        {field<&O::work>("operations", {rule::array({number("operations")})},
                         "of the blocks that were timed, increasing",
                         {.missing = "of the blocks that were timed"}),
         field<&O::seconds>("seconds", {rule::array({number("s")})}, "what they took, increasing",
                            {.missing = "what they took"})}}});
  return object;
}

namespace {

CostCurve read_curve(JsonReader const& json) {
  auto out = read_object<CostCurve>(json);
  try {
    out.check();
  } catch (std::invalid_argument const& error) {
    json.fail(error.what());
  }
  return out;
}

ValueRules machine_rules() { return {rule::map({rule::map({rule::object(table_of<UnitCosts::Unit>)})})}; }

}  // namespace

Object<UnitCosts::Unit> const& object_of(UnitCosts::Unit const* /*any*/) {
  using O = UnitCosts::Unit;
  static Object<O> const object(
      "unit", "The CPU or an accelerator of a node.",
      {field<&O::unit_class>("class", {rule::word({"cpu", "gpu", "phi"})}, "kind of unit",
                             {.missing = "cpu, gpu or phi"}),
       field<&O::model>("model", "name of the product", {.missing = "as sold"}),
       field<O>("kernels", {rule::map({rule::object(table_of<CostCurve>)})}, "a curve for each kernel",
                {.required = true, .read = [](JsonReader const& json, O& o) {
                   for (auto const& [kernel, curve] : json.members())
                     o.kernels.emplace(kernel, read_curve(curve));
                 }})});
  return object;
}

Object<UnitCosts> const& object_of(UnitCosts const* /*any*/) {
  using O = UnitCosts;
  static Object<O> const object(
      "unit costs",
      "Durations of blocks of data-parallel loops on whole CPUs and accelerators. "
      "`factosim-unit-costs`, version 1.",
      fields_of_file<O>("factosim-unit-costs") +
          Fields<O>{
              field<&O::estimate>("estimate", "whether values are assumed and not measured",
                                  {.missing = "whether these are measurements"}),
              field<&O::provenance>("provenance", "who measured, or what is assumed", {.required = true}),
              field<O>("machines", machine_rules(),
                       "units by node type and by place in the node: `cpu`, `cuda0`, ...",
                       {.missing = "by node type", .read = [](JsonReader const& json, O& o) {
                          for (auto const& [machine, units] : json.members()) {
                            UnitCosts::Machine& places = o.machines[machine];
                            for (auto const& [place, unit] : units.members())
                              read_object(unit, places[place]);
                          }
                        }})});
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

namespace {

constexpr double single_bytes = 4, index_bytes = 4, score_bytes = 16;

std::int64_t pieces(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

}  // namespace

LoopCost matmul_loop(std::int64_t n, std::int64_t rows) {
  auto const size = static_cast<double>(n), height = static_cast<double>(rows);
  double const bytes = height * size * single_bytes;
  return {.chunks = pieces(n, rows), .work = 2 * size * size * height, .bytes_in = bytes, .bytes_out = bytes};
}

LoopCost grn_loop(std::int64_t genes, std::int64_t samples) {
  auto const n = static_cast<double>(genes), s = static_cast<double>(samples);
  constexpr double per_sample = 4;
  return {.chunks = genes,
          .work = (n - 1) * (n - 2) / 6 * s * per_sample,
          .bytes_in = index_bytes,
          .bytes_out = score_bytes};
}

LoopCost kmeans_loop(std::int64_t points, std::int64_t dimensions, std::int64_t clusters,
                     std::int64_t points_per_chunk) {
  auto const d = static_cast<double>(dimensions), k = static_cast<double>(clusters);
  auto const each = static_cast<double>(points_per_chunk);
  return {.chunks = pieces(points, points_per_chunk),
          .work = 3 * d * k * each,
          .bytes_in = each * d * single_bytes,
          .bytes_out = each * index_bytes};
}

}  // namespace factosim
