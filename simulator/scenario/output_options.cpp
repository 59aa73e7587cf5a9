#include "simulator/scenario/output_options.hpp"

#include <algorithm>

#include "simulator/trace/export/trace_formats.hpp"

namespace factosim {

namespace {

/// Reads `true`, or an object with the number of points.
std::size_t read_series(JsonReader const& json) {
  constexpr std::size_t default_points = 1000;
  if (!json.is_object()) return json.boolean() ? default_points : 0;
  auto const points = json.find("points");
  json.finish();
  return points ? static_cast<std::size_t>(points->integer(2, 100'000)) : default_points;
}

}  // namespace

OutputOptions read_outputs(JsonReader const& json) {
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
