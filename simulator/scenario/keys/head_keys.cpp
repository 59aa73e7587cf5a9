#include "simulator/scenario/keys/head_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

struct SeriesLength {
  std::size_t points = 1000;
};

Object<SeriesLength> const& object_of(SeriesLength const* /*any*/) {
  static Object<SeriesLength> const object(
      "series", "Levels over time.",
      {field<&SeriesLength::points>("points", {rule::integer(2, 100'000, "intervals")},
                                    "maximum number of intervals")});
  return object;
}

/// Reads `true`, or an object with the number of points.
std::size_t read_series(JsonReader const& json) {
  if (!json.is_object()) return json.boolean() ? SeriesLength{}.points : 0;
  return read_object<SeriesLength>(json).points;
}

bool is_written(OutputOptions const& options, std::string_view format) {
  return std::ranges::find(options.traces, format) != options.traces.end();
}

Field<OutputOptions> trace_field(TraceFormat const& format) {
  std::string const name(format.name);
  return field<OutputOptions>(
      name, {rule::boolean()},
      name == default_trace
          ? "`run.trace`: all that happened, for `factosim compare` and `export`; by default "
            "without effect above a million tasks"
          : fmt::format("`{}`: the same for other tools (scenarios/traces.md)", format.run_name),
      {.default_value = name == default_trace,
       .read =
           [name](JsonReader const& json, OutputOptions& o) {
             std::erase(o.traces, name);
             if (name == default_trace) o.trace_by_default = false;
             if (json.boolean()) o.traces.push_back(name);
           },
       .write = [name](OutputOptions const& o) { return nlohmann::ordered_json(is_written(o, name)); }});
}

Fields<OutputOptions> output_fields() {
  Fields<OutputOptions> out;
  for (TraceFormat const& format : trace_formats()) out.push_back(trace_field(format));
  out.push_back(field<OutputOptions>(
      "series", {rule::boolean(), rule::object(table_of<SeriesLength>)}, "`series.json`: levels over time",
      {.default_value = false,
       .read = [](JsonReader const& json, OutputOptions& o) { o.series_points = read_series(json); },
       .write =
           [](OutputOptions const& o) {
             return o.series_points > 0 ? written(SeriesLength{o.series_points})
                                        : nlohmann::ordered_json(false);
           }}));
  return out;
}

}  // namespace

Object<OutputOptions> const& object_of(OutputOptions const* /*any*/) {
  static Object<OutputOptions> const object("outputs", "Files beside `result.json` in the folder of `--out`.",
                                            output_fields());
  return object;
}

void refuse_series(JsonReader const& json, OutputOptions const& outputs, std::string_view type) {
  if (outputs.series_points > 0)
    json.at("outputs").at("series").fail(
        fmt::format("is asked for (\"{}\" has no series over time). Leave it out", type));
}

void refuse_traces(JsonReader const& json, OutputOptions const& outputs, std::string_view why) {
  bool const other_formats =
      std::ranges::any_of(outputs.traces, [](auto const& name) { return name != default_trace; });
  if (other_formats || (!outputs.trace_by_default && !outputs.traces.empty()))
    json.at("outputs").fail(fmt::format("asks for a trace ({}). Leave it out", why));
}

Object<DetailOptions> const& object_of(DetailOptions const* /*any*/) {
  using O = DetailOptions;
  static Object<O> const object(
      "detail",
      "How much of a run is simulated. `sampled` estimates its makespan: see "
      "`scenarios/guide/estimates.md`.",
      {field<&O::type>("type",
                       "`tasks`: every task; `sampled`: windows of iterations, from "
                       "which the makespan of all is extrapolated")},
      {{"type",
        "sampled",
        "",
        {field<&O::tolerance>("tolerance", {rule::number(1e-4, 0.5)},
                              "relative error of the makespan at which no more windows are simulated")}},
       {"", "", "", {}}});
  return object;
}

void check_estimate(JsonReader const& scenario, DetailOptions const& options, Application const* application,
                    ApplicationParameters const& parameters) {
  if (options.type == Detail::tasks) return;
  std::string why;
  if (application == nullptr || !application->has_iterations)
    why = "the application has no iterations that are alike";
  else if (parameters.is_nested())
    why = "tasks are split (application/nested)";
  else if (parameters.formats)
    why = "tiles have several formats (application/tile_formats)";
  else if (nlohmann::json::json_pointer const type("/distribution/type");
           scenario.value().contains(type) && scenario.value().at(type) == "layers")
    why = "iterations on layers differ (distribution/type)";
  else
    return;
  scenario.at("detail").at("type").fail(
      fmt::format("is \"{}\", and every task is needed ({}). Use \"tasks\"", name_of(options.type), why));
}

}  // namespace factosim
