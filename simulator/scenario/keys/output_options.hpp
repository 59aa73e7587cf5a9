#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The trace format that is written by default.
inline constexpr char const* default_trace = "trace";

struct OutputOptions {
  std::vector<std::string> traces{default_trace};  // names of formats (trace_formats.hpp) to write
  bool trace_by_default = true;                    // run.trace was not asked for
  std::size_t series_points = 0;  // maximum number of intervals of DIR/series.json; 0: not written
};

/// The keys of "outputs".
[[nodiscard]] Object<OutputOptions> const& object_of(OutputOptions const* any);

/// Reads a scenario's "outputs". Throws InputError.
[[nodiscard]] OutputOptions read_outputs(JsonReader const& json);

/// Throws InputError if a series is asked for, of a run of that type that has none. `scenario`: the whole document.
void refuse_series(JsonReader const& scenario, OutputOptions const& outputs, std::string_view type);

/// Throws InputError if a trace is asked for. `why`: to stand in brackets.
void refuse_traces(JsonReader const& scenario, OutputOptions const& outputs, std::string_view why);

}  // namespace factosim
