#include "simulator/report/page/pages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "simulator/base/core/json_text.hpp"
#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/analysis/sweep_view.hpp"
#include "simulator/report/page/page_file.hpp"

namespace factosim {

FACTOSIM_JSON_MEMBERS(SweepPlot, x, y, series, heat_map)
FACTOSIM_JSON_MEMBERS(SweepView::Chart, where, lines, failed, bounds, baseline)

namespace {

using Json = nlohmann::ordered_json;

/// Returns true if a double, the only number of browsers, represents the number exactly.
bool exact_in_browsers(Json const& number) {
  constexpr std::uint64_t maximum = std::uint64_t{1} << 53U;
  if (number.is_number_unsigned()) return number.get<std::uint64_t>() <= maximum;
  if (number.is_number_integer()) return number.get<std::int64_t>() >= -static_cast<std::int64_t>(maximum);
  return std::isfinite(number.get<double>());
}

/// {"values", "of"}: the different texts, and for each point the number of its text; -1: none.
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
              {"label", column_label(table.columns[column])},
              {"kind", kinds[static_cast<std::size_t>(column_kind(table, column))]}};
  bool const numbers = holds_numbers(table, column) && std::ranges::all_of(table.rows, [&](auto const& row) {
                         return row[column].is_null() || exact_in_browsers(row[column]);
                       });
  if (numbers)
    out["numbers"] = json_list(table.rows, [&](auto const& row) { return row[column]; });
  else
    out["texts"] = texts_json(table, column);
  return out;
}

class SweepJson {
 public:
  SweepJson(SweepRecord const& record, SweepPageOptions const& options, std::vector<PageArray>& arrays)
      : record_(record),
        options_(options),
        view_(view_of_sweep(record, options.x, options.series)),
        arrays_(arrays) {}

  Json json() {
    Json columns = Json::array();
    for (std::size_t c = 0; c < record_.table.columns.size(); ++c)
      columns.push_back(column_json(record_.table, c));
    return {{"name", record_.name},
            {"source", options_.source},
            {"points", record_.table.rows.size()},
            {"counts",
             {{"points", record_.table.rows.size()},
              {"done", view_.done},
              {"failed", view_.failed},
              {"missing", view_.missing},
              {"replicas", view_.replicas}}},
            {"columns", std::move(columns)},
            {"plots", plots_of(record_)},
            {"axes", view_.axes},
            {"x", view_.x},
            {"series", view_.series},
            {"groups", view_.groups},
            {"metrics", metrics()},
            {"charts", charts()},
            {"colors", curve_colors()},
            {"heat_colors", {heat_map_color(0), heat_map_color(1)}},
            {"keys", record_.keys},
            {"values", record_.values},
            {"comparisons", record_.comparisons},
            {"origin", record_.origin},
            {"provenance", record_.provenance},
            {"reports", options_.reports}};
  }

 private:
  Json metrics() {
    Json out = Json::array();
    for (SweepView::Metric const& m : view_.metrics) {
      out.push_back({{"name", m.name}, {"label", column_label(m.name)}, {"mean", array(m.mean)}});
      Json& metric = out.back();
      if (!m.bound.empty()) metric["bound"] = array(m.bound);
      std::vector<float> spread;
      for (auto const& group : m.spread) spread.insert(spread.end(), group.begin(), group.end());
      if (!spread.empty()) metric["spread"] = array(spread);
    }
    return out;
  }

  /// {x: {series: {"parameters", "charts"}}}
  [[nodiscard]] Json charts() const {
    Json out = Json::object();
    for (SweepView::Arrangement const& a : view_.arrangements)
      out[a.x][a.series] = {{"parameters", a.parameters}, {"charts", a.charts}};
    return out;
  }

  template <class Element>
  Json array(std::vector<Element> const& values) {
    return page_array(arrays_, values, false);
  }

  SweepRecord const& record_;
  SweepPageOptions const& options_;
  SweepView view_;
  std::vector<PageArray>& arrays_;
};

}  // namespace

void write_sweep_page(TextFile& out, SweepRecord const& record, SweepPageOptions const& options,
                      std::string_view generator) {
  std::vector<PageArray> arrays;
  Json const content = {{"format", "factosim-report"},
                        {"version", 1},
                        {"generator", generator},
                        {"sweep", SweepJson(record, options, arrays).json()}};
  write_page_file(out, record.name, generator, content, arrays);
}

}  // namespace factosim
