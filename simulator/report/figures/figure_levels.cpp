// Panels of levels over time: curves, or, if there are many, one shaded row each: the larger, the darker.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "simulator/report/figures/figure_panels.hpp"
#include "simulator/report/figures/line_plot.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;
using Points = std::vector<std::pair<double, double>>;

constexpr Color grid_color{0xdd, 0xdd, 0xdd}, shaded{0xf8, 0xe3, 0xd6};
constexpr std::size_t max_points = 400;
constexpr int shades = 16;

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

/// Returns the number of rows with a name.
std::size_t rows_of(std::vector<LevelCurve> const& curves) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) rows += i == 0 || curves[i - 1].row != curves[i].row;
  return rows;
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
  CurveDrawing(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel,
               LevelScale const& scale)
      : out_(out), run_(run), axis_(axis), panel_(panel), scale_(scale), curves_(curves_of(run, panel)) {
    top_ = std::max(scale.most * 1.05, panel.against_workers ? scale.workers * 1.1 : 0);
    if (top_ <= 0) top_ = 1;
  }

  void draw() {
    if (panel_.against_workers) {
      AxisClip const clip(out_, axis_, run_);
      shade();
    }
    for (double const tick : axis_ticks(0, top_ * scale_.factor, 5)) {
      double const at = y(tick / scale_.factor);
      out_.line(axis_.box.left, at, axis_.box.left + axis_.box.width, at, grid_color, 0.8);
      out_.text(axis_.box.left - 6, at, tick_label(tick),
                {.size = small_figure_text, .anchor = Anchor::end, .color = ink});
    }
    if (panel_.against_workers) {
      double const line = y(static_cast<double>(run_.run.summary.workers));
      Points const points{{axis_.box.left, line}, {axis_.box.left + axis_.box.width, line}};
      out_.polyline(points, ink, 1, "6");
      double const beside = axis_.box.left + axis_.box.width + 6;
      constexpr SvgTextStyle style{.size = small_figure_text, .color = ink};
      out_.text(beside, line - small_figure_text - 1, std::to_string(run_.run.summary.workers), style);
      out_.text(beside, line, "workers", style);
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
  LevelScale const& scale_;
  std::vector<LevelCurve> curves_;
  double top_ = 1;
};

void draw_heat(SvgWriter& out, RunView const& run, TimeAxis const& axis,
               std::vector<LevelCurve> const& curves, double maximum) {
  double const height = axis.box.height / static_cast<double>(curves.size());
  std::map<std::pair<std::uint32_t, int>, std::vector<SvgWriter::Cells>> boxes;
  std::map<std::uint32_t, Color> colors;
  double last = -1e9, length = 0;
  std::size_t columns = 0;
  for (std::size_t row = 0; row < curves.size(); ++row) {
    LevelCurve const& c = curves[row];
    std::uint32_t const key = static_cast<std::uint32_t>(c.color.red) << 16U |
                              static_cast<std::uint32_t>(c.color.green) << 8U | c.color.blue;
    colors[key] = c.color;
    auto const [values, step] =
        thinned(c.values, run.interval_s, std::clamp<std::size_t>(25000 / curves.size(), 80, 300));
    columns = values.size();
    length = step * static_cast<double>(columns);
    auto const shade = [&, &means = values](std::size_t i) {
      return static_cast<int>(std::lround(shades * shade_of(means[i] / maximum)));
    };
    for_each_run(columns, shade, [&](std::uint32_t first, std::uint32_t width) {
      if (shade(first) > 0)
        boxes[{key, shade(first)}].push_back({first, static_cast<std::uint32_t>(row), width});
    });
    if (row > 0 && curves[row - 1].row == c.row) continue;
    std::size_t end = row;  // of the curves with this name
    while (end < curves.size() && curves[end].row == c.row) ++end;
    double const middle = axis.box.top + static_cast<double>(row + end) / 2 * height;
    if (middle - last < small_figure_text + 1) continue;
    last = middle;
    constexpr SvgTextStyle style{.size = small_figure_text, .anchor = Anchor::end, .color = ink};
    out.text(axis.box.left - 6, middle, shortened_to(c.row, room_for_labels, style), style);
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
  if (!as_rows(panel, curves)) return 120;
  double const labels = static_cast<double>(rows_of(curves)) * (small_figure_text + 2);
  return std::clamp(std::max(labels, static_cast<double>(curves.size()) * 8), 100.0, 260.0);
}

std::vector<LegendKey> legend_of_levels(RunView const& run, LevelPanel const& panel,
                                        LevelScale const& scale) {
  auto const curves = curves_of(run, panel);
  std::vector<LegendKey> out;
  if (as_rows(panel, curves)) {
    std::string const most = fmt::format("{} {}", short_number(scale.most * scale.factor), scale.unit);
    for (LevelPanel::Curve const& c : panel.curves)
      if (run.find(c.level) != nullptr) out.push_back({{c.name, curve_colors()[c.color]}, most});
    return out;
  }
  if (curves.size() == 1 && panel.curves.size() == 1) return out;  // the title names it
  for (LevelCurve const& c : curves) out.push_back({{c.curve, c.color}});
  return out;
}

double shade_of(double share) { return std::ceil(shades * std::sqrt(std::clamp(share, 0.0, 1.0))) / shades; }

LevelScale scale_of(std::span<RunView const> runs, LevelPanel const& panel) {
  LevelScale out;
  for (RunView const& run : runs) {
    out.most = std::max(out.most, max_of(curves_of(run, panel)));
    out.workers = std::max(out.workers, static_cast<double>(run.run.summary.workers));
  }
  std::tie(out.unit, out.factor) = shown_unit(panel.unit, out.most);
  return out;
}

void draw_levels(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel,
                 LevelScale const& scale) {
  auto const curves = curves_of(run, panel);
  if (as_rows(panel, curves))
    draw_heat(out, run, axis, curves, scale.most);
  else
    CurveDrawing(out, run, axis, panel, scale).draw();
}

}  // namespace factosim
