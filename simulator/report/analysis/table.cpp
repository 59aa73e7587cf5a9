#include "simulator/report/analysis/table.hpp"

#include <algorithm>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/plain_names.hpp"

namespace factosim {

std::string csv_quoted(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

namespace {

/// An apostrophe makes a spreadsheet take the cell for text.
std::string csv_text_cell(std::string const& text) {
  return csv_quoted(is_formula(text) ? "'" + text : text);
}

std::string csv_cell(Table::Cell const& cell) {
  return cell.is_string() ? csv_text_cell(cell.get<std::string>()) : csv_quoted(cell_text(cell));
}

}  // namespace

std::optional<std::size_t> Table::find(std::string_view column) const {
  auto const found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::string cell_text(Table::Cell const& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : json_text(cell);
}

std::string csv_text(Table const& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += (i == 0 ? "" : ",") + csv_text_cell(table.columns[i]);
  out += '\n';
  for (auto const& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(row[i]);
    out += '\n';
  }
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
