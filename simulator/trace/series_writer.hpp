#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/trace/series.hpp"

namespace factosim {

/// What a series is told of a node.
struct SeriesNode {
  std::string type;
  bool bus = false;  // has several memories
};

/// The series as JSON (`factosim-series`, version 1): the same bytes for the same series. Averages are
/// rounded to four decimals, those of bytes to whole ones. `nodes` has an entry for each node.
std::string series_json(Series const& series, std::vector<SeriesNode> const& nodes);

/// Writes it; the file appears whole or not at all.
void write_series(std::filesystem::path const& file, Series const& series,
                  std::vector<SeriesNode> const& nodes);

}  // namespace factosim
