#include "simulator/scenario/keys/refused_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace factosim {

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

}  // namespace factosim
