#include "simulator/report/figures/line_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/analysis/report_colors.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color ink{0x22, 0x22, 0x22}, faint{0xdd, 0xdd, 0xdd}, grey{0x99, 0x99, 0x99},
    white{0xff, 0xff, 0xff};
constexpr double left = 78, top = 44, plot_width = 560, plot_height = 340, below = 62, legend_gap = 22,
                 margin = 16;
constexpr SvgTextStyle title_style{.size = 16, .bold = true};
constexpr SvgTextStyle axis_style{.size = 13, .anchor = Anchor::middle};
constexpr SvgTextStyle legend_style{.size = 12};

struct Range {
  double first = INFINITY, last = -INFINITY;
  void add(double value) {
    first = std::min(first, value);
    last = std::max(last, value);
  }
  [[nodiscard]] double share(double value) const {
    return last > first ? (value - first) / (last - first) : 0.5;
  }
};

class Drawing {
 public:
  /// `above`: vertical position of the plot in the picture.
  Drawing(SvgWriter& out, LinePlot const& plot, double above) : plot_(plot), out_(out), top_(top + above) {
    y_.add(0);
    for (auto const* curves : {&plot.curves, &plot.bounds})
      for (Curve const& curve : *curves)
        for (CurvePoint const& p : curve.points) {
          x_.add(p.x);
          y_.add(p.spread ? std::max(p.y, p.spread->ci95_high) : p.y);
        }
    y_.last *= 1.04;
  }

  /// Returns the right and the lower end of the plot.
  std::pair<double, double> draw() {
    out_.text(left, top_ - top + margin + 6, plot_.title, title_style);
    axes();
    double line = top_ + 6;
    double widest = 0;
    std::size_t n = 0;
    for (Curve const& bound : plot_.bounds) {
      curve(bound, grey, false);
      widest = std::max(widest, legend(bound.name, grey, line));
    }
    for (Curve const& c : plot_.curves) {
      shape_ = n;
      Color const hue = curve_colors()[n++ % curve_colors().size()];
      curve(c, hue, true);
      if (!c.name.empty()) mark(left + plot_width + legend_gap + 11, line, hue);
      widest = std::max(widest, legend(c.name, hue, line));
    }
    double const width = left + plot_width + legend_gap + 30 + widest + margin;
    return {std::max(width, left + text_width(plot_.title, title_style) + margin),
            std::max(top_ + plot_height + below, line + margin)};
  }

 private:
  [[nodiscard]] double x(double value) const { return left + plot_width * x_.share(value); }
  [[nodiscard]] double y(double value) const { return top_ + plot_height * (1 - y_.share(value)); }

  void axes() {
    for (double const tick : axis_ticks(y_.first, y_.last, 8)) {
      out_.line(left, y(tick), left + plot_width, y(tick), faint, 1);
      out_.text(left - 8, y(tick), fmt::format("{:.4g}", tick), {.size = 12, .anchor = Anchor::end});
    }
    for (double const tick : axis_ticks(x_.first, x_.last, 12)) {
      out_.line(x(tick), top_ + plot_height, x(tick), top_ + plot_height + 5, ink, 1);
      out_.text(x(tick), top_ + plot_height + 16, fmt::format("{:.4g}", tick),
                {.size = 12, .anchor = Anchor::middle});
    }
    out_.frame({left, top_, plot_width, plot_height}, ink, 1);
    out_.text(left + plot_width / 2, top_ + plot_height + 40, plot_.x, axis_style);
    SvgTextStyle upwards = axis_style;
    upwards.upwards = true;
    out_.text(margin + 4, top_ + plot_height / 2, plot_.y, upwards);
  }

  /// Marks curves by squares, diamonds and triangles in turn, in addition to colours.
  void mark(double x, double y, Color hue) {
    std::array<std::pair<double, double>, 4> const diamond{{{x, y - 5}, {x + 5, y}, {x, y + 5}, {x - 5, y}}};
    std::array<std::pair<double, double>, 3> const triangle{{{x, y - 5}, {x + 5, y + 4}, {x - 5, y + 4}}};
    if (shape_ % 3 == 0)
      out_.rectangle({x - 3, y - 3, 6, 6}, hue);
    else if (shape_ % 3 == 1)
      out_.polygon(diamond, hue);
    else
      out_.polygon(triangle, hue);
  }

  void curve(Curve const& curve, Color hue, bool marked) {
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      CurvePoint const &a = curve.points[i - 1], &b = curve.points[i];
      out_.line(x(a.x), y(a.y), x(b.x), y(b.y), hue, marked ? 2 : 1.5);
    }
    for (CurvePoint const& p : curve.points) {
      if (p.spread) {
        double const high = y(p.spread->ci95_high), low = y(std::max(0.0, p.spread->ci95_low));
        out_.line(x(p.x), low, x(p.x), high, hue, 1.2);
        for (double const end : {low, high}) out_.line(x(p.x) - 4, end, x(p.x) + 4, end, hue, 1.2);
      }
      if (marked) mark(x(p.x), y(p.y), hue);
    }
  }

  /// Draws an entry of the legend. Returns the width of its text.
  double legend(std::string const& name, Color hue, double& line) {
    if (name.empty()) return 0;
    double const start = left + plot_width + legend_gap;
    out_.rectangle({start, line - 2, 22, 4}, hue);
    out_.text(start + 30, line, name, legend_style);
    line += 20;
    return text_width(name, legend_style);
  }

  LinePlot const& plot_;
  SvgWriter& out_;
  double top_;
  std::size_t shape_ = 0;  // of the marks of the curve that is drawn
  Range x_, y_;
};

}  // namespace

std::vector<double> axis_ticks(double first, double last, int maximum) {
  if (!(last > first)) return {first};
  double step = std::pow(10, std::floor(std::log10((last - first) / maximum)));
  for (double const digit : {1., 2., 5., 10.})
    if (std::floor(last / (digit * step)) - std::ceil(first / (digit * step)) + 1 <= maximum) {
      step *= digit;
      break;
    }
  std::vector<double> ticks;
  for (double n = std::ceil(first / step - 1e-9) + 0.0; n * step <= last * (1 + 1e-12); ++n)
    ticks.push_back(n * step + 0.0);  // no -0
  return ticks;
}

std::string line_plot_svg(LinePlot const& plot) { return line_plots_svg(std::span(&plot, 1)); }

std::string line_plots_svg(std::span<LinePlot const> plots) {
  SvgWriter out;
  double width = 0, height = 0;
  for (LinePlot const& plot : plots) {
    auto const [right, end] = Drawing(out, plot, height).draw();
    width = std::max(width, right);
    height = end;
  }
  return out.picture(width, height, plots.empty() ? std::string() : plots.front().title);
}

std::string heat_map_svg(HeatMap const& map) {
  constexpr double cell_width = 64, cell_height = 30, row_names = 150;
  SvgWriter out;
  Range range;
  for (double const value : map.cells)
    if (!std::isnan(value)) range.add(value);
  out.text(margin, margin + 6, fmt::format("{}: {}", map.title, map.value), title_style);
  double const start = margin + row_names;
  SvgTextStyle const middle{.size = 12, .anchor = Anchor::middle}, end{.size = 12, .anchor = Anchor::end};
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    out.text(start + (static_cast<double>(c) + 0.5) * cell_width, top + 6, map.columns[c], middle);
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    double const y = top + 20 + static_cast<double>(r) * cell_height;
    out.text(start - 8, y + cell_height / 2, map.rows[r], end);
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      double const value = map.cells[r * map.columns.size() + c];
      if (std::isnan(value)) continue;
      Color const fill = heat_map_color(range.share(value));
      double const x = start + static_cast<double>(c) * cell_width;
      out.rectangle({x, y, cell_width, cell_height}, fill);
      SvgTextStyle style = middle;
      style.color = is_dark(fill) ? white : ink;
      out.text(x + cell_width / 2, y + cell_height / 2, fmt::format("{:.4g}", value), style);
    }
  }
  double const bottom = top + 20 + static_cast<double>(map.rows.size()) * cell_height;
  double const width = start + static_cast<double>(map.columns.size()) * cell_width;
  out.text((start + width) / 2, bottom + 20, fmt::format("{} across, {} down", map.x, map.y), axis_style);
  return out.picture(std::max(width, margin + text_width(map.title + map.value, title_style) + 20) + margin,
                     bottom + 44, map.title);
}

}  // namespace factosim
