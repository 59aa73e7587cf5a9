#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/core/json_reader.hpp"

namespace factosim {

/// The format that is written unless nobody wants it.
inline constexpr char const* default_trace = "trace";

struct OutputOptions {
  std::vector<std::string> traces{
      default_trace};             // formats (trace_formats.hpp) of what is written about the run
  bool trace_by_default = true;   // nobody asked for run.trace
  std::size_t series_points = 0;  // intervals that DIR/series.json may have; 0: none is written
};

/// Reads a scenario's "outputs"; throws InputError.
OutputOptions read_outputs(JsonReader const& json);
nlohmann::ordered_json effective_outputs(OutputOptions const& options);

}  // namespace factosim
