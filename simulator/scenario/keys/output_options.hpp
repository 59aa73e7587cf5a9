#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// The trace format that is written by default.
inline constexpr char const* default_trace = "trace";

struct OutputOptions {
  std::vector<std::string> traces{default_trace};  // names of formats (trace_formats.hpp) to write
  bool trace_by_default = true;                    // run.trace was not asked for
  std::size_t series_points = 0;  // maximum number of intervals of DIR/series.json; 0: not written
};

/// The keys of "outputs".
[[nodiscard]] ObjectKeys const& outputs_table();

/// Reads a scenario's "outputs". Throws InputError.
[[nodiscard]] OutputOptions read_outputs(JsonReader const& json);
/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_outputs(OutputOptions const& options);

}  // namespace factosim
