#include "simulator/report/analysis/sweep_record.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <utility>

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

namespace {

/// Returns true if at least two points differ in the column.
bool varies(Table const& table, std::string const& column) {
  auto const c = table.find(column);
  return c && distinct_values(table, *c, 2) > 1;
}

/// Returns whether every value of one column stands beside every value of the other, but for no node at all ("0", "0").
bool form_a_grid(Table const& table, std::size_t a, std::size_t b) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (auto const& row : table.rows)
    if (!row[a].is_null() && !row[b].is_null()) pairs.emplace(cell_text(row[a]), cell_text(row[b]));
  std::set<std::string> of_a, of_b;
  for (auto const& [in_a, in_b] : pairs) of_a.insert(in_a), of_b.insert(in_b);
  if (of_a.contains("0") && of_b.contains("0")) pairs.emplace("0", "0");
  return pairs.size() == of_a.size() * of_b.size();
}

/// Returns two columns with counts of nodes whose values are combined as in a grid; else "".
std::pair<std::string, std::string> node_grid(Table const& table) {
  std::vector<std::size_t> counts;  // columns
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (column_kind(table, c) == SweepColumn::machine && table.columns[c] != "nodes" &&
        distinct_values(table, c, 2) > 1)
      counts.push_back(c);
  for (std::size_t const a : counts)
    for (std::size_t const b : counts)
      if (b > a && form_a_grid(table, a, b)) return {table.columns[a], table.columns[b]};
  return {};
}

std::vector<SweepPlot> classical_plots(Table const& table) {
  auto [x, series] = node_grid(table);
  if (x.empty() && varies(table, "nodes")) x = "nodes";
  for (std::string const& name : table.parameters) {
    if (!varies(table, name)) continue;
    bool const number = holds_numbers(table, table.place_of(name));
    if (x.empty() && number) x = name;
    if (series.empty() && !number && name != "platform/nodes") series = name;
  }
  std::vector<SweepPlot> plots;
  if (x.empty()) return plots;
  for (std::string const metric :
       {"makespan_s", "gflops", "efficiency", "speedup", "tiles_sent", "energy_J"}) {
    bool const speedup = metric == "speedup";
    auto const column = table.find(speedup ? "makespan_s" : metric);
    if (!column || distinct_values(table, *column, 1) == 0 || (speedup && x != "nodes")) continue;
    auto const none = [&](auto const& row) { return row[*column].is_null() || row[*column] == 0; };
    if (metric == "tiles_sent" && std::ranges::all_of(table.rows, none)) continue;  // on one node
    plots.push_back({x, metric, series, false});
  }
  return plots;
}

}  // namespace

SweepColumn column_kind(Table const& table, std::size_t column) {
  std::string const& name = table.columns[column];
  constexpr std::array<std::string_view, 8> about{"point",  "id",   "replica", "seed",
                                                  "status", "code", "message", "estimate"};
  if (std::ranges::find(table.parameters, name) != table.parameters.end()) return SweepColumn::parameter;
  if (std::ranges::find(about, name) != about.end()) return SweepColumn::about;
  auto const replica = table.find("replica");
  bool const before_results = replica && column < *replica;
  return before_results && name.starts_with("nodes") ? SweepColumn::machine : SweepColumn::result;
}

bool holds_numbers(Table const& table, std::size_t column) {
  return std::ranges::all_of(
      table.rows, [&](auto const& row) { return row[column].is_number() || row[column].is_null(); });
}

std::size_t distinct_values(Table const& table, std::size_t column, std::size_t maximum) {
  std::set<std::string> seen;
  for (auto const& row : table.rows) {
    if (seen.size() >= maximum) break;
    if (!row[column].is_null()) seen.insert(cell_text(row[column]));
  }
  return seen.size();
}

std::vector<SweepPlot> plots_of(SweepRecord const& record) {
  return record.plots.empty() ? classical_plots(record.table) : record.plots;
}

}  // namespace factosim
