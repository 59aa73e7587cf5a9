#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simulator/analysis/table.hpp"

namespace factosim {

/// Columns of a plot.
struct SweepPlot {
  std::string x, y, series;  // series: a curve for each of its values; may be none
  bool heat_map = false;     // `series` is the other axis
};

/// A sweep as its folder tells it: what its page and its figures show.
struct SweepRecord {
  std::string name;
  Table table;
  std::vector<SweepPlot> plots;  // that the sweep asks for
  std::vector<std::string>
      keys;  // parameters that are keys of the scenario, in the order in which they apply
  nlohmann::ordered_json values;  // {key: {text in the table: value}}, where the text is not the value
  nlohmann::ordered_json comparisons = nlohmann::ordered_json::array();  // as comparisons.json
  nlohmann::ordered_json origin;      // files, settings and filters that it was made from
  nlohmann::ordered_json provenance;  // of its first point that is done; null: none is
};

/// What a column tells of a point.
enum class SweepColumn : std::uint8_t {
  parameter,  // what was chosen
  machine,    // how many nodes that makes, of each type
  about,      // number, seed, status and message of the point
  result
};
[[nodiscard]] SweepColumn column_kind(Table const& table, std::size_t column);

/// Whether it holds numbers, or nothing.
[[nodiscard]] bool holds_numbers(Table const& table, std::size_t column);
/// How many texts of it differ, at most `most`; cells without a value do not count.
[[nodiscard]] std::size_t distinct_values(Table const& table, std::size_t column, std::size_t maximum);

/// The plots that the sweep asks for; where it asks for none, the classical ones over the nodes, or over
/// another number that varies: makespan, GFlop/s, efficiency, speed-up, tiles sent, energy, as far as any
/// point tells them.
[[nodiscard]] std::vector<SweepPlot> plots_of(SweepRecord const& record);

}  // namespace factosim
