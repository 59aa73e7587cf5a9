#include "simulator/studies/sweep/scenario_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "simulator/scenario/keys/settings.hpp"

namespace factosim {

namespace {

ObjectKeys const& span_table() {
  static ObjectKeys const table{
      .title = "span",
      .meaning = "All numbers between two; whole numbers if both are.",
      .keys = {{.name = "from", .value = {rule::any_number()}, .meaning = "least value", .required = true},
               {.name = "to", .value = {rule::any_number()}, .meaning = "largest value", .required = true},
               {.name = "scale",
                .value = {rule::word({"linear", "log"})},
                .meaning = "equal differences, or equal ratios, are equally likely",
                .default_value = "linear"}}};
  return table;
}

ObjectKeys const& variation_table() {
  static ObjectKeys const table{
      .title = "variation",
      .meaning =
          "What differs: keys by JSON pointer, with a list of values or a span; other names have a list of "
          "objects, each of keys by JSON pointer with one value.",
      .keys = {},
      .variants = {{.selector = "",
                    .word = "",
                    .keys = {},
                    .other_names = ".",
                    .others = {rule::array({rule::any()}, 1), rule::object(span_table)}}}};
  return table;
}

ValueRules family_rules() { return {rule::object(family_table)}; }

FamilyAxis read_axis(std::string const& name, JsonReader const& json) {
  FamilyAxis out{.name = name};
  bool const is_key = name.starts_with("/");
  if (json.is_array()) {
    for (JsonReader const& value : json.elements()) {
      if (!is_key && (!value.is_object() || value.value().empty()))
        value.fail(
            "is no object of keys (the name of this variation is no JSON pointer, so that each "
            "alternative names its keys). Write {\"/application/nt\": 4}");
      out.values.push_back(value.value());
    }
    return out;
  }
  if (!is_key) json.fail("is no list (only a JSON pointer may have a span). Give a list of objects");
  JsonReader const from = json.at("from"), to = json.at("to");
  out.from = from.number();
  out.to = to.number();
  if (auto const scale = json.find("scale")) out.logarithmic = scale->one_of() == "log";
  out.whole = from.value().is_number_integer() && to.value().is_number_integer();
  if (out.to < out.from)
    to.fail(fmt::format("is below \"from\", {} (the span is empty). Give more", out.from));
  if (out.logarithmic && out.from <= 0) from.fail("has no logarithm (\"scale\" is log). Give more than 0");
  json.finish();
  return out;
}

nlohmann::json value_at(FamilyAxis const& axis, double share) {
  if (!axis.values.empty())
    return axis.values[std::min(axis.values.size() - 1,
                                static_cast<std::size_t>(share * static_cast<double>(axis.values.size())))];
  double const last = axis.whole ? axis.to + 1 : axis.to;
  double const value = axis.logarithmic ? axis.from * std::pow(last / axis.from, share)
                                        : axis.from + share * (last - axis.from);
  if (axis.whole) return static_cast<std::int64_t>(std::clamp(std::floor(value), axis.from, axis.to));
  // Three digits: a case that somebody writes down again.
  return std::clamp(std::stod(fmt::format("{:.3g}", value)), axis.from, axis.to);
}

}  // namespace

ObjectKeys const& family_table() {
  static ObjectKeys const table{
      .title = "family",
      .meaning = "Scenarios that differ in some keys, for `factosim duel`. `factosim-family`, version 1.",
      .keys = joined(file_keys("factosim-family"), {{.name = "scenario",
                                                     .value = {rule::path(), {.kind = ValueRule::Kind::any}},
                                                     .meaning = "path of a scenario, or a scenario",
                                                     .required = true},
                                                    {.name = "vary",
                                                     .value = {rule::object(variation_table)},
                                                     .meaning = "what differs",
                                                     .required = true}})};
  return table;
}

std::vector<std::pair<std::string, nlohmann::json>> ScenarioFamily::values(FamilyPlace const& place) const {
  std::vector<std::pair<std::string, nlohmann::json>> out;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    nlohmann::json const value = value_at(axes[i], place[i]);
    if (axes[i].name.starts_with("/"))
      out.emplace_back(axes[i].name, value);
    else
      for (auto const& [pointer, each] : value.items()) out.emplace_back(pointer, each);
  }
  return out;
}

nlohmann::json ScenarioFamily::at(FamilyPlace const& place) const {
  nlohmann::json out = scenario;
  for (auto const& [pointer, value] : values(place)) try {
      set_at(out, pointer, value);
    } catch (InputError const&) {
      throw;
    } catch (std::runtime_error const& error) {
      throw InputError(file + "#" + pointer,
                       fmt::format("cannot be set ({}). Correct the variation", error.what()));
    }
  return out;
}

ScenarioFamily read_family(std::filesystem::path const& file) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json = JsonReader(document, file.string()).by(family_rules);
  json.check_own_format("factosim-family", 1);
  ScenarioFamily out{.file = file.string(), .scenario = {}, .axes = {}};
  JsonReader const scenario = json.at("scenario", "a path or an object");
  if (scenario.is_string()) {
    out.file = scenario.path().string();
    out.scenario = parse_json_file(scenario.path());
  } else {
    out.scenario = scenario.value();
  }
  JsonReader const vary = json.at("vary", "what differs");
  for (auto const& [name, axis] : vary.members()) out.axes.push_back(read_axis(name, axis));
  if (out.axes.empty()) vary.fail("is empty (all scenarios would be the same). Name a key");
  json.finish();
  return out;
}

ScenarioFamily shipped_family() {
  std::vector<std::string> const applications = application_names();
  auto const machine = [](char const* name, int nb) {
    return nlohmann::json{
        {"/platform/file", name}, {"/platform/nodes/0/type", name}, {"/application/nb", nb}};
  };
  return {.file = "(shipped family)",
          .scenario = {{"platform", {{"file", "mirage"}, {"nodes", {{{"type", "mirage"}, {"count", 1}}}}}},
                       {"application", {{"type", applications.front()}, {"nt", 4}, {"nb", 960}}},
                       {"network", {{"model", "maxmin"}}}},
          .axes = {{.name = "machine",
                    .values = {machine("mirage", 960), machine("sirocco-k40m", 960),
                               machine("sirocco-p100", 1240), machine("sirocco-v100", 1600)}},
                   {.name = "/application/type", .values = {applications.begin(), applications.end()}},
                   {.name = "/application/nt", .from = 2, .to = 12, .whole = true},
                   {.name = "/platform/nodes/0/count", .from = 1, .to = 4, .whole = true},
                   {.name = "/runtime/max_gpus", .from = 1, .to = 4, .whole = true},
                   {.name = "/runtime/reserved_cores", .from = 0, .to = 6, .whole = true},
                   {.name = "/network/nic/bandwidth_Bps", .from = 1e8, .to = 1e10, .logarithmic = true}}};
}

}  // namespace factosim
