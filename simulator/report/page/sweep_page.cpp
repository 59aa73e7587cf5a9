#include "simulator/report/page/sweep_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>

#include "simulator/analysis/report_colors.hpp"
#include "simulator/core/sample.hpp"
#include "simulator/report/page/page_file.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

/// Whether a browser, whose numbers are doubles, can tell it exactly.
bool exact_in_browsers(Json const& number) {
  constexpr std::uint64_t maximum = std::uint64_t{1} << 53U;
  if (number.is_number_unsigned()) return number.get<std::uint64_t>() <= maximum;
  if (number.is_number_integer()) return number.get<std::int64_t>() >= -static_cast<std::int64_t>(maximum);
  return std::isfinite(number.get<double>());
}

/// {"values", "of"}: different texts, and the place of each point's one among them; -1: it has none.
Json texts_json(Table const& table, std::size_t column) {
  Json values = Json::array(), of = Json::array();
  std::map<std::string, std::size_t> places;
  for (auto const& row : table.rows) {
    if (row[column].is_null()) {
      of.push_back(-1);
      continue;
    }
    auto const [place, is_new] = places.try_emplace(cell_text(row[column]), places.size());
    if (is_new) values.push_back(place->first);
    of.push_back(place->second);
  }
  return {{"values", std::move(values)}, {"of", std::move(of)}};
}

Json column_json(Table const& table, std::size_t column) {
  constexpr std::array kinds{"parameter", "machine", "about", "result"};
  Json out = {{"name", table.columns[column]},
              {"kind", kinds[static_cast<std::size_t>(column_kind(table, column))]}};
  bool const numbers = holds_numbers(table, column) && std::ranges::all_of(table.rows, [&](auto const& row) {
                         return row[column].is_null() || exact_in_browsers(row[column]);
                       });
  if (!numbers) {
    out["texts"] = texts_json(table, column);
    return out;
  }
  Json values = Json::array();
  for (auto const& row : table.rows) values.push_back(row[column]);
  out["numbers"] = std::move(values);
  return out;
}

/// The most points that are alike in all parameters.
std::size_t max_replicas(Table const& table) {
  std::map<std::vector<std::string>, std::size_t> alike;
  std::size_t maximum = 0;
  for (auto const& row : table.rows) {
    std::vector<std::string> key;
    for (std::string const& name : table.parameters) key.push_back(cell_text(row[*table.find(name)]));
    maximum = std::max(maximum, ++alike[key]);
  }
  return maximum;
}

Json sweep_json(SweepRecord const& record, SweepPageOptions const& options) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < record.table.columns.size(); ++c)
    columns.push_back(column_json(record.table, c));
  Json plots = Json::array();
  for (SweepPlot const& p : plots_of(record))
    plots.push_back({{"x", p.x}, {"y", p.y}, {"series", p.series}, {"heat_map", p.heat_map}});
  Json quantiles = Json::array({nullptr, nullptr});  // by the number of replicas
  for (std::size_t n = 2; n <= max_replicas(record.table); ++n) quantiles.push_back(student_quantile(n));
  Json colors = Json::array();
  for (Color const c : curve_colors()) colors.push_back(hex_of(c));
  return {{"name", record.name},
          {"source", options.source},
          {"points", record.table.rows.size()},
          {"columns", std::move(columns)},
          {"plots", std::move(plots)},
          {"asked", !record.plots.empty()},
          {"x", options.x},
          {"series", options.series},
          {"quantiles", std::move(quantiles)},
          {"colors", std::move(colors)},
          {"keys", record.keys},
          {"values", record.values},
          {"comparisons", record.comparisons},
          {"origin", record.origin},
          {"provenance", record.provenance},
          {"reports", options.reports}};
}

}  // namespace

void write_sweep_page(TextFile& out, SweepRecord const& record, SweepPageOptions const& options,
                      std::string_view generator) {
  write_page_file(out, record.name, generator,
                  {{"format", "factosim-report"},
                   {"version", 1},
                   {"generator", generator},
                   {"sweep", sweep_json(record, options)}});
}

}  // namespace factosim
