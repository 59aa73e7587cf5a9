#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/report/analysis/table.hpp"

namespace factosim {

/// Columns of a plot.
struct SweepPlot {
  std::string x, y, series;  // series: one curve for each of its values; may be ""
  bool heat_map = false;     // `series` is the other axis
};

/// The content of a sweep's folder that its page and its figures show.
struct SweepRecord {
  std::string name;
  Table table;
  std::vector<SweepPlot> plots;  // requested by the sweep
  std::vector<std::string>
      keys;  // parameters that are keys of the scenario, in the order in which they apply
  nlohmann::ordered_json values;  // {key: {text in the table: value}}, for values that differ from their text
  nlohmann::ordered_json comparisons = nlohmann::ordered_json::array();  // as comparisons.json
  nlohmann::ordered_json origin;      // files, settings and filters of the sweep
  nlohmann::ordered_json provenance;  // of the first point with a result; null: none
};

/// The kind of a column.
enum class SweepColumn : std::uint8_t {
  parameter,  // chosen by the sweep
  machine,    // numbers of nodes that follow from the parameters
  about,      // number, seed, status and message of the point
  result
};
[[nodiscard]] SweepColumn column_kind(Table const& table, std::size_t column);

/// Returns true if all cells of the column are numbers or empty.
[[nodiscard]] bool holds_numbers(Table const& table, std::size_t column);
/// Returns the number of different texts in a column, at most `maximum`; empty cells do not count.
[[nodiscard]] std::size_t distinct_values(Table const& table, std::size_t column, std::size_t maximum);

/// Returns the plots that the sweep asks for, or else the default ones over the nodes, or over another
/// number that varies: makespan, GFlop/s, efficiency, speed-up, tiles sent and energy, if any point has
/// them.
[[nodiscard]] std::vector<SweepPlot> plots_of(SweepRecord const& record);

}  // namespace factosim
