#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// A table with named columns; null: no value.
struct Table {
  using Cell = nlohmann::ordered_json;
  std::vector<std::string> columns;
  std::vector<std::string> parameters{};  // the columns with inputs; the others are results
  std::vector<std::vector<Cell>> rows{};  // [rows][columns]

  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;
  /// Throws std::out_of_range if there is no such column.
  [[nodiscard]] std::size_t place_of(std::string_view column) const;
};

/// Returns CSV (RFC 4180) with a header. Numbers have the fewest digits that identify them; texts that a spreadsheet would
/// take for formulas begin with an apostrophe.
[[nodiscard]] std::string csv_text(Table const& table);
/// Returns one JSON object per line, without the cells that have no value.
[[nodiscard]] std::string json_lines(Table const& table);
/// Returns the text of a cell, without quotes.
[[nodiscard]] std::string cell_text(Table::Cell const& cell);

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
