// Panels of levels over time: curves, or, if there are many, one shaded row each: the larger, the darker.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "simulator/report/figures/figure_panels.hpp"
#include "simulator/report/figures/line_plot.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;
using Points = std::vector<std::pair<double, double>>;

constexpr Color grid_color{0xdd, 0xdd, 0xdd}, shaded{0xf8, 0xe3, 0xd6};
constexpr std::size_t max_points = 400;

bool as_rows(LevelPanel const& panel, std::vector<LevelCurve> const& curves) {
  return panel.by_row && curves.size() > max_level_curves;
}

double max_of(std::vector<LevelCurve> const& curves) {
  float maximum = 0;
  for (LevelCurve const& c : curves)
    for (float const v : c.values) maximum = std::max(maximum, v);
  return static_cast<double>(maximum);
}

std::string short_number(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

/// Averages neighbours so that at most `maximum` values are left. Returns them and their interval.
std::pair<std::vector<double>, double> thinned(std::vector<float> const& values, double interval,
                                               std::size_t maximum = max_points) {
  std::size_t const step = (values.size() + maximum - 1) / maximum;
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); i += step) {
    std::size_t const end = std::min(values.size(), i + step);
    double sum = 0;
    for (std::size_t j = i; j < end; ++j) sum += static_cast<double>(values[j]);
    out.push_back(sum / static_cast<double>(end - i));
  }
  return {out, interval * static_cast<double>(step)};
}

class CurveDrawing {
 public:
  CurveDrawing(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel)
      : out_(out), run_(run), axis_(axis), panel_(panel), curves_(curves_of(run, panel)) {
    auto const workers = static_cast<double>(run.run.summary.workers);
    top_ = std::max(max_of(curves_) * 1.05, panel.against_workers ? workers * 1.1 : 0);
    if (top_ <= 0) top_ = 1;
  }

  void draw() {
    if (panel_.against_workers) {
      AxisClip const clip(out_, axis_, run_);
      shade();
    }
    for (double const tick : axis_ticks(0, top_, 5)) {
      out_.line(axis_.box.left, y(tick), axis_.box.left + axis_.box.width, y(tick), grid_color, 0.8);
      out_.text(axis_.box.left - 6, y(tick), fmt::format("{:.4g}", tick),
                {.size = small_figure_text, .anchor = Anchor::end, .color = ink});
    }
    if (panel_.against_workers) {
      double const line = y(static_cast<double>(run_.run.summary.workers));
      Points const points{{axis_.box.left, line}, {axis_.box.left + axis_.box.width, line}};
      out_.polyline(points, ink, 1, "6");
      out_.text(axis_.box.left + axis_.box.width + 6, line, "workers",
                {.size = small_figure_text, .color = ink});
    }
    AxisClip const clip(out_, axis_, run_);
    for (LevelCurve const& c : curves_) {
      auto const [values, length] = thinned(c.values, run_.interval_s);
      Points points;
      for (std::size_t i = 0; i < values.size(); ++i) {
        points.emplace_back(axis_.x(length * static_cast<double>(i)), y(values[i]));
        points.emplace_back(axis_.x(std::min(length * static_cast<double>(i + 1), run_.makespan_s())),
                            y(values[i]));
      }
      out_.polyline(points, c.color, 1.4);
    }
  }

 private:
  [[nodiscard]] double y(double value) const { return axis_.box.top + axis_.box.height * (1 - value / top_); }

  /// Shades the time in which fewer tasks are ready than there are workers.
  void shade() {
    auto const ready = std::ranges::find(curves_, "ready", &LevelCurve::curve);
    if (ready == curves_.end()) return;
    auto const workers = static_cast<float>(run_.run.summary.workers);
    for (std::size_t i = 0; i < ready->values.size(); ++i) {
      std::size_t const first = i;
      while (i < ready->values.size() && ready->values[i] < workers) ++i;
      if (i == first) continue;
      double const from = axis_.x(run_.interval_s * static_cast<double>(first));
      double const to = axis_.x(std::min(run_.interval_s * static_cast<double>(i), run_.makespan_s()));
      out_.rectangle({from, axis_.box.top, to - from, axis_.box.height}, shaded);
    }
  }

  SvgWriter& out_;
  RunView const& run_;
  TimeAxis const& axis_;
  LevelPanel const& panel_;
  std::vector<LevelCurve> curves_;
  double top_ = 1;
};

void draw_heat(SvgWriter& out, RunView const& run, TimeAxis const& axis,
               std::vector<LevelCurve> const& curves) {
  constexpr int shades = 8;
  double const maximum = max_of(curves), height = axis.box.height / static_cast<double>(curves.size());
  std::map<std::pair<std::uint32_t, int>, std::vector<SvgWriter::Cells>> boxes;
  std::map<std::uint32_t, Color> colors;
  double last = -1e9, length = 0;
  std::size_t columns = 0;
  for (std::size_t row = 0; row < curves.size(); ++row) {
    LevelCurve const& c = curves[row];
    std::uint32_t const key = static_cast<std::uint32_t>(c.color.red) << 16U |
                              static_cast<std::uint32_t>(c.color.green) << 8U | c.color.blue;
    colors[key] = c.color;
    double const middle = axis.box.top + (static_cast<double>(row) + 0.5) * height;
    auto const [values, step] =
        thinned(c.values, run.interval_s, std::clamp<std::size_t>(25000 / curves.size(), 80, 300));
    columns = values.size();
    length = step * static_cast<double>(columns);
    auto const shade = [&, &means = values](std::size_t i) {
      return std::min(shades, static_cast<int>(std::ceil(shades * std::sqrt(means[i] / maximum))));
    };
    for_each_run(columns, shade, [&](std::uint32_t first, std::uint32_t width) {
      if (shade(first) > 0)
        boxes[{key, shade(first)}].push_back({first, static_cast<std::uint32_t>(row), width});
    });
    if ((row == 0 || curves[row - 1].row != c.row) && middle - last >= small_figure_text + 1) {
      last = middle;
      out.text(axis.box.left - 6, last, shortened_to(c.row, 11),
               {.size = small_figure_text, .anchor = Anchor::end, .color = ink});
    }
  }
  SvgBox box = axis.box;
  box.left = axis.x(0);
  box.width = axis.x(length) - box.left;
  AxisClip const clip(out, axis, run);
  for (auto const& [key, list] : boxes)
    out.cells(box, columns, curves.size(), list,
              on_white(colors[key.first], static_cast<double>(key.second) / shades), "");
}

}  // namespace

std::vector<LevelCurve> curves_of(RunView const& run, LevelPanel const& panel) {
  bool const by_row = shows_rows(run, panel);
  std::vector<LevelCurve> out = by_row ? row_curves(run, panel) : summed_curves(run, panel);
  std::erase_if(out, &LevelCurve::is_zero);
  for (std::size_t i = 0; by_row && i < out.size(); ++i) {
    out[i].curve = panel.curves.size() > 1 ? out[i].row + ", " + out[i].curve : out[i].row;
    if (out.size() <= max_level_curves) out[i].color = curve_colors()[i % curve_colors().size()];
  }
  return out;
}

double height_of_levels(RunView const& run, LevelPanel const& panel) {
  auto const curves = curves_of(run, panel);
  return as_rows(panel, curves) ? std::clamp(static_cast<double>(curves.size()) * 8, 100.0, 260.0) : 120;
}

std::vector<NamedColor> legend_of_levels(RunView const& run, LevelPanel const& panel) {
  auto const curves = curves_of(run, panel);
  std::vector<NamedColor> out;
  if (as_rows(panel, curves)) {
    for (LevelPanel::Curve const& c : panel.curves)
      if (run.find(c.level) != nullptr)
        out.push_back({fmt::format("{} (darkest {} {})", c.name, short_number(max_of(curves)), panel.unit),
                       curve_colors()[c.color]});
    return out;
  }
  for (LevelCurve const& c : curves) out.push_back({c.curve, c.color});
  return out;
}

void draw_levels(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel) {
  auto const curves = curves_of(run, panel);
  if (as_rows(panel, curves))
    draw_heat(out, run, axis, curves);
  else
    CurveDrawing(out, run, axis, panel).draw();
}

}  // namespace factosim
