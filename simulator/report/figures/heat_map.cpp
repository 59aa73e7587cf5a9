#include "simulator/report/figures/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color dark_ink{0x22, 0x22, 0x22}, paper{0xff, 0xff, 0xff};
constexpr double edge = 16, cell_height = 30, bar_width = 14, bar_gap = 24;
constexpr SvgTextStyle title_style{.size = 16, .bold = true},
    label_style{.size = 13, .anchor = Anchor::middle}, name_style{.size = 12, .anchor = Anchor::end},
    cell_style{.size = 12, .anchor = Anchor::middle};

std::string number(double value) { return fmt::format("{:.4g}", value); }

double widest(std::vector<std::string> const& texts) {
  double out = 0;
  for (std::string const& text : texts) out = std::max(out, text_width(text, cell_style));
  return out;
}

Table numbers_of(HeatMap const& map) {
  Table out{.columns = {map.x, map.y, map.value}, .parameters = {}, .rows = {}};
  for (std::size_t r = 0; r < map.rows.size(); ++r)
    for (std::size_t c = 0; c < map.columns.size(); ++c)
      if (double const value = map.cells[r * map.columns.size() + c]; !std::isnan(value))
        out.rows.push_back({map.columns[c], map.rows[r], value});
  return out;
}

}  // namespace

Drawing draw_heat_map(HeatMap const& map, FigureOptions const& options) {
  double least = INFINITY, most = -INFINITY;
  std::vector<std::string> numbers;
  for (double const value : map.cells) {
    if (std::isnan(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
    numbers.push_back(number(value));
  }
  auto const share = [&](double value) { return most > least ? (value - least) / (most - least) : 0.5; };
  std::string const title = options.title.value_or(map.title), x_label = options.x.label.value_or(map.x),
                    y_label = options.y.label.value_or(map.y);
  double const cell_width = 12 + std::max({widest(numbers), widest(map.columns), 36.0});
  double const left = edge + 24 + widest(map.rows) + 8, top = edge + (title.empty() ? 0 : 28) + 20;
  double const right = left + static_cast<double>(map.columns.size()) * cell_width;
  double const bottom = top + static_cast<double>(map.rows.size()) * cell_height;
  SvgWriter out(options.style);
  if (!title.empty()) out.text(edge, edge + 6, title, title_style);
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    out.text(left + (static_cast<double>(c) + 0.5) * cell_width, top - 10, map.columns[c], cell_style);
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    double const y = top + static_cast<double>(r) * cell_height;
    out.text(left - 8, y + cell_height / 2, map.rows[r], name_style);
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      double const value = map.cells[r * map.columns.size() + c];
      if (std::isnan(value)) continue;
      Color const fill = heat_map_color(share(value));
      double const x = left + static_cast<double>(c) * cell_width;
      out.rectangle({x, y, cell_width, cell_height}, fill);
      SvgTextStyle style = cell_style;
      style.color = is_dark(fill) ? paper : dark_ink;
      out.text(x + cell_width / 2, y + cell_height / 2, number(value), style);
    }
  }
  out.text((left + right) / 2, bottom + 18, x_label, label_style);
  SvgTextStyle upwards = label_style;
  upwards.upwards = true;
  double const needed =
      std::max(bottom - top, std::max(text_width(y_label, upwards), text_width(map.value, upwards)));
  double const middle = top + needed / 2;
  out.text(edge + 4, middle, y_label, upwards);
  // The scale: its steps are the colours of the shares.
  constexpr int steps = 16;
  double const bar = right + bar_gap;
  for (int s = 0; s < steps && most > least; ++s)
    out.rectangle({bar, bottom - (bottom - top) * (s + 1) / steps, bar_width, (bottom - top) / steps},
                  heat_map_color((s + 0.5) / steps));
  double scale_width = 0;
  if (most > least)
    for (auto const& [value, y] : {std::pair(least, bottom - 6), std::pair(most, top + 6)}) {
      out.text(bar + bar_width + 6, y, number(value), {.size = 12});
      scale_width = std::max(scale_width, text_width(number(value), cell_style));
    }
  double const legend = bar + bar_width + 6 + scale_width + 14;
  out.text(legend, middle, map.value, upwards);
  double const width = std::max(legend + 10, text_width(title, title_style) + edge) + edge;
  return {out.picture(width, std::max(bottom, top + needed) + 18 + edge, title.empty() ? map.title : title),
          numbers_of(map)};
}

}  // namespace factosim
