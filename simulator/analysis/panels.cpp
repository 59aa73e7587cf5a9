#include "simulator/analysis/panels.hpp"
#include "simulator/core/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace factosim {

namespace {

std::size_t column(Table const& table, std::string const& name) {
  if (auto const found = table.find(name)) return *found;
  throw std::out_of_range("no column \"" + name + "\"");
}

/// Rows that have both numbers.
std::vector<std::size_t> usable_rows(Table const& table, std::size_t x, std::size_t y) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    if (table.rows[r][x].is_number() && table.rows[r][y].is_number()) rows.push_back(r);
  return rows;
}

/// Whether rows that agree in the columns `by` agree in `column`.
bool settled(Table const& table, std::vector<std::size_t> const& rows, std::vector<std::size_t> const& by,
             std::size_t column) {
  std::map<std::string, std::string> seen;
  return std::all_of(rows.begin(), rows.end(), [&](std::size_t r) {
    std::string key;
    for (std::size_t const c : by) key += cell_text(table.rows[r][c]) + '\n';
    std::string const value = cell_text(table.rows[r][column]);
    return seen.try_emplace(key, value).first->second == value;
  });
}

/// Leaves out columns that the others settle; the first ones go first, so that labels stay.
void drop_settled(Table const& table, std::vector<std::size_t> const& rows,
                  std::vector<std::size_t> const& by, std::vector<std::size_t>& columns) {
  for (std::size_t i = 0; i < columns.size();) {
    std::vector<std::size_t> others = by;
    for (std::size_t const c : columns)
      if (c != columns[i]) others.push_back(c);
    if (settled(table, rows, others, columns[i]))
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
}

template <class Value, class Key>
Value& at_or_new(std::vector<std::pair<Key, Value>>& list, Key const& key) {
  for (auto& [known, value] : list)
    if (known == key) return value;
  return list.emplace_back(key, Value{}).second;
}

Curve curve_of(std::string name, std::map<double, std::vector<double>> const& values) {
  Curve curve{std::move(name)};
  for (auto const& [x, ys] : values) {
    if (ys.size() == 1) {
      curve.points.push_back({x, ys.front()});
      continue;
    }
    Spread spread = spread_of(ys);
    curve.points.push_back({x, spread.mean, std::move(spread)});
  }
  return curve;
}

}  // namespace

std::string CurvePanel::description() const {
  std::string out;
  for (auto const& [name, value] : fixed) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, value);
  return out;
}

std::vector<CurvePanel> panels_of(Table const& table, PanelColumns const& columns) {
  std::size_t const x = column(table, columns.x), y = column(table, columns.y);
  std::optional<std::size_t> const series =
      columns.series.empty() ? std::nullopt : std::optional(column(table, columns.series));
  auto const rows = usable_rows(table, x, y);
  std::vector<std::size_t> by{x};
  if (series) by.push_back(*series);
  std::vector<std::size_t> fixed;
  for (std::string const& name : table.parameters) {
    std::size_t const c = column(table, name);
    if (c != x && c != series && !settled(table, rows, by, c)) fixed.push_back(c);
  }
  drop_settled(table, rows, by, fixed);
  using Values = std::map<double, std::vector<double>>;
  using Curves = std::vector<std::pair<std::string, Values>>;
  std::vector<std::pair<std::vector<std::pair<std::string, std::string>>, Curves>> panels;
  for (std::size_t const r : rows) {
    auto const& row = table.rows[r];
    std::vector<std::pair<std::string, std::string>> key;
    key.reserve(fixed.size());
    for (std::size_t const c : fixed) key.emplace_back(table.columns[c], cell_text(row[c]));
    Curves& curves = at_or_new(panels, key);
    std::string const name = series ? cell_text(row[*series]) : "";
    at_or_new(curves, name)[row[x].get<double>()].push_back(row[y].get<double>());
  }
  std::vector<CurvePanel> out;
  for (auto const& [key, curves] : panels) {
    CurvePanel& panel = out.emplace_back(CurvePanel{key, {}});
    for (auto const& [name, values] : curves) panel.curves.push_back(curve_of(name, values));
  }
  return out;
}

}  // namespace factosim
