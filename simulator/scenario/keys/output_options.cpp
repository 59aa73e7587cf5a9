#include "simulator/scenario/keys/output_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/base/core/gone.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

constexpr std::size_t default_points = 1000;

ObjectKeys const& series_table() {
  static ObjectKeys const table{.title = "series",
                                .meaning = "Levels over time.",
                                .keys = {{.name = "points",
                                          .value = {rule::integer(2, 100'000, "intervals")},
                                          .meaning = "maximum number of intervals",
                                          .default_value = default_points}}};
  return table;
}

ValueRules outputs_rules() { return {rule::object(outputs_table)}; }

/// Reads `true`, or an object with the number of points.
std::size_t read_series(JsonReader const& json) {
  if (!json.is_object()) return json.boolean() ? default_points : 0;
  auto const points = json.find("points");
  json.finish();
  return points ? static_cast<std::size_t>(points->integer()) : default_points;
}

}  // namespace

ObjectKeys const& outputs_table() {
  auto const make = [] {
    ObjectKeys table{
        .title = "outputs", .meaning = "Files beside `result.json` in the folder of `--out`.", .keys = {}};
    for (TraceFormat const& format : trace_formats())
      table.keys.push_back(
          {.name = std::string(format.name),
           .value = {rule::boolean()},
           .meaning =
               format.name == default_trace
                   ? "`run.trace`: all that happened, for `factosim compare` and `export`; by default "
                     "without effect above a million tasks"
                   : fmt::format("`{}`: the same for other tools (scenarios/traces.md)", format.run_name),
           .default_value = format.name == default_trace});
    table.keys.push_back({.name = "series",
                          .value = {rule::boolean(), rule::object(series_table)},
                          .meaning = "`series.json`: levels over time",
                          .default_value = false});
    return table;
  };
  static ObjectKeys const table = make();
  return table;
}

OutputOptions read_outputs(JsonReader const& given) {
  refuse_gone_keys(given, Gone::trace_output);
  JsonReader const json = given.by(outputs_rules);
  OutputOptions out;
  for (TraceFormat const& format : trace_formats()) {
    auto const wanted = json.find(std::string(format.name));
    if (!wanted) continue;
    std::erase(out.traces, format.name);
    if (format.name == default_trace) out.trace_by_default = false;
    if (wanted->boolean()) out.traces.emplace_back(format.name);
  }
  if (auto const series = json.find("series")) out.series_points = read_series(*series);
  json.finish();
  return out;
}

nlohmann::ordered_json effective_outputs(OutputOptions const& options) {
  nlohmann::ordered_json out;
  for (TraceFormat const& format : trace_formats())
    out[std::string(format.name)] =
        std::find(options.traces.begin(), options.traces.end(), format.name) != options.traces.end();
  out["series"] = false;
  if (options.series_points > 0) out["series"] = {{"points", options.series_points}};
  return out;
}

}  // namespace factosim
