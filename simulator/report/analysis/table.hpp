#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
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

}  // namespace factosim
