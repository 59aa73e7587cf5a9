#include "simulator/scenario/keys/detail_keys.hpp"

#include <fmt/format.h>

#include <string>

#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<Detail, 2> details{"detail",
                                         {{{Detail::tasks, "tasks"}, {Detail::sampled, "sampled"}}}};

constexpr double least_tolerance = 1e-4, most_tolerance = 0.5;

ValueRules detail_rules() { return {rule::object(detail_table)}; }

}  // namespace

std::string_view name_of(Detail detail) { return details.name_of(detail); }

ObjectKeys const& detail_table() {
  static ObjectKeys const table{
      .title = "detail",
      .meaning =
          "How much of a run is simulated. `sampled` estimates its makespan: see "
          "`scenarios/guide/estimates.md`.",
      .keys =
          {{.name = "type",
            .value = {rule::word(details.names())},
            .meaning =
                "`tasks`: every task; `sampled`: windows of iterations, from which the makespan of all is "
                "extrapolated",
            .default_value = name_of(DetailOptions{}.type)}},
      .variants = {
          {.selector = "type",
           .word = "sampled",
           .keys = {{.name = "tolerance",
                     .value = {rule::number(least_tolerance, most_tolerance)},
                     .meaning = "relative error of the makespan at which no more windows are simulated",
                     .default_value = DetailOptions{}.tolerance}}},
          {.selector = "", .word = "", .keys = {}}}};
  return table;
}

DetailOptions read_detail(JsonReader const& given) {
  JsonReader const json = given.by(detail_rules);
  DetailOptions out;
  if (auto const type = json.find("type")) out.type = details.named(type->one_of());
  if (out.type == Detail::sampled)
    if (auto const tolerance = json.find("tolerance")) out.tolerance = tolerance->quantity();
  json.finish();
  return out;
}

void check_estimate(JsonReader const& scenario, DetailOptions const& options, Application const* application,
                    bool nested, bool formats) {
  if (options.type == Detail::tasks) return;
  std::string why;
  if (application == nullptr || !application->has_iterations)
    why = "the application has no iterations that are alike";
  else if (nested)
    why = "tasks are split (application/nested)";
  else if (formats)
    why = "tiles have several formats (application/tile_formats)";
  else if (nlohmann::json::json_pointer const type("/distribution/type");
           scenario.value().contains(type) && scenario.value().at(type) == "layers")
    why = "iterations on layers differ (distribution/type)";
  else
    return;
  scenario.at("detail").at("type").fail(
      fmt::format("is \"{}\", and every task is needed ({}). Use \"tasks\"", name_of(options.type), why));
}

nlohmann::ordered_json effective_detail(DetailOptions const& options) {
  nlohmann::ordered_json out = {{"type", name_of(options.type)}};
  if (options.type == Detail::sampled) out["tolerance"] = options.tolerance;
  return out;
}

}  // namespace factosim
