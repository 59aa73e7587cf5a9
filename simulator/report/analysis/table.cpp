#include "simulator/report/analysis/table.hpp"

#include <algorithm>
#include <stdexcept>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/plain_names.hpp"

namespace factosim {

namespace {

/// Returns the text as a field of CSV: in quotes where it needs them.
std::string csv_quoted(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// An apostrophe makes a spreadsheet take the cell for text.
std::string csv_cell(Table::Cell const& cell) {
  std::string const text = cell_text(cell);
  return csv_quoted(cell.is_string() && is_formula(text) ? "'" + text : text);
}

std::string csv_line(std::vector<Table::Cell> const& cells) {
  std::string out;
  for (Table::Cell const& cell : cells) out += (&cell == &cells.front() ? "" : ",") + csv_cell(cell);
  return out + '\n';
}

}  // namespace

std::optional<std::size_t> Table::find(std::string_view column) const {
  auto const found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t Table::place_of(std::string_view column) const {
  if (auto const found = find(column)) return *found;
  throw std::out_of_range("no column \"" + std::string(column) + "\"");
}

std::string cell_text(Table::Cell const& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : json_text(cell);
}

std::string csv_text(Table const& table) {
  std::string out = csv_line(std::vector<Table::Cell>(table.columns.begin(), table.columns.end()));
  for (auto const& row : table.rows) out += csv_line(row);
  return out;
}

std::string json_lines(Table const& table) {
  std::string out;
  for (auto const& row : table.rows) {
    nlohmann::ordered_json line = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!row[i].is_null()) line[table.columns[i]] = row[i];
    out += json_text(line) + '\n';
  }
  return out;
}

}  // namespace factosim
