#include "simulator/report/figures/figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/report/analysis/report_colors.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

void require_logarithm(AxisOptions const& axis, double value) {
  if (axis.logarithmic.value_or(false) && !(value > 0))
    throw InputError("--log#",
                     fmt::format("the value {:.4g} has no logarithm. Leave the logarithmic axis out", value));
}

Json names_of(std::vector<Curve> const& curves) {
  Json out = Json::array();
  for (Curve const& curve : curves) out.push_back(curve.name);
  return out;
}

/// Appends the points of a plot, first of its curves, then of its bounds.
void add_points(Table& to, LinePlot const& plot, FigureOptions const& options) {
  for (auto const* curves : {&plot.curves, &plot.bounds})
    for (Curve const& curve : *curves)
      for (CurvePoint const& p : curve.points) {
        require_logarithm(options.x, p.x);
        require_logarithm(options.y, p.y);
        to.rows.push_back({plot.title, plot.y, curve.name, p.x, p.y,
                           p.spread ? Table::Cell(p.spread->ci95_low) : Table::Cell(),
                           p.spread ? Table::Cell(p.spread->ci95_high) : Table::Cell()});
      }
}

}  // namespace

Figure line_figure(std::span<LinePlot const> plots, FigureOptions const& options) {
  Json content = figure_content("lines", options.title.value_or(""), options);
  Table numbers{.columns = {"plot", "y", "curve", "x", "value", "ci95_low", "ci95_high"}};
  content["plots"] = Json::array();
  for (LinePlot const& plot : plots) {
    std::size_t const first = numbers.rows.size();
    add_points(numbers, plot, options);
    content["plots"].push_back({{"title", options.title.value_or(plot.title)},
                                {"x", options.x.label.value_or(plot.x)},
                                {"y", options.y.label.value_or(plot.y)},
                                {"legend", plot.legend},
                                {"curves", names_of(plot.curves)},
                                {"bounds", names_of(plot.bounds)},
                                {"first_row", first},
                                {"end_row", numbers.rows.size()}});
  }
  content["columns"] = columns_json(numbers);
  return {std::move(content), std::move(numbers)};
}

Figure heat_map_figure(HeatMap const& map, FigureOptions const& options) {
  Table numbers{.columns = {map.x, map.y, map.value}};
  Json cells = Json::array();
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    Json& row = cells.emplace_back(Json::array());
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      double const value = map.cells[r * map.columns.size() + c];
      row.push_back(std::isnan(value) ? Json() : Json(value));
      if (!std::isnan(value)) numbers.rows.push_back({map.columns[c], map.rows[r], value});
    }
  }
  Json content = figure_content("heat", options.title.value_or(map.title), options);
  content["x"] = options.x.label.value_or(map.x);
  content["y"] = options.y.label.value_or(map.y);
  content["value"] = map.value;
  content["column_names"] = map.columns;
  content["row_names"] = map.rows;
  content["scale"] = {heat_map_color(0), heat_map_color(0.5), heat_map_color(1)};
  content["cells"] = std::move(cells);
  return {std::move(content), std::move(numbers)};
}

}  // namespace factosim
