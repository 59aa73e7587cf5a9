#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// Rows of values with named columns; null: no value.
struct Table {
  using Cell = nlohmann::ordered_json;
  std::vector<std::string> columns;
  std::vector<std::string> parameters;  // those columns that were chosen, not found
  std::vector<std::vector<Cell>> rows;  // [rows][columns]

  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;
};

/// RFC 4180 with a header; numbers in the fewest digits that give them back.
[[nodiscard]] std::string csv_text(Table const& table);
/// An object a line, without the cells that have no value.
[[nodiscard]] std::string json_lines(Table const& table);
/// The text of a cell, without quotes.
[[nodiscard]] std::string cell_text(Table::Cell const& cell);

}  // namespace factosim
