#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/trace/series.hpp"

namespace factosim {

/// A node as shown in a series.
struct SeriesNode {
  std::string type;
  bool bus = false;  // the node has several memories
};

/// Returns the series as JSON (`factosim-series`, version 1); deterministic. Averages are rounded to four
/// decimals, averages of bytes to whole numbers. `nodes` has an entry per node.
std::string series_json(Series const& series, std::vector<SeriesNode> const& nodes);

/// Writes the JSON to a file, which appears complete or not at all.
void write_series(std::filesystem::path const& file, Series const& series,
                  std::vector<SeriesNode> const& nodes);

}  // namespace factosim
