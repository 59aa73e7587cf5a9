#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/report/analysis/level_panels.hpp"
#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

/// The scale of a panel of levels, the same for all runs of a figure.
struct LevelScale {
  double most = 0;     // the largest value, in the unit of the panel
  std::string unit;    // that is shown
  double factor = 1;   // from the unit of the panel to the one shown
  double workers = 0;  // the largest number of workers
};
[[nodiscard]] LevelScale scale_of(std::span<RunView const> runs, LevelPanel const& panel);

/// A part of a figure that shows one run over time.
struct TimeAxis {
  SvgBox box;      // of the plot
  double begin_s;  // dates of the ends of the axis
  double end_s;

  [[nodiscard]] double x(double date_s) const {
    return box.left + box.width * (date_s - begin_s) / (end_s - begin_s);
  }
  [[nodiscard]] bool shows(double date_s) const { return date_s >= begin_s && date_s <= end_s; }
};

/// Cuts what is drawn during its life at the edges of the axis, unless the axis shows the whole run.
class AxisClip {
 public:
  AxisClip(SvgWriter& out, TimeAxis const& axis, RunView const& run)
      : out_(axis.begin_s > 0 || axis.end_s < run.makespan_s() ? &out : nullptr) {
    if (out_ != nullptr) out_->open_clipped_group(axis.box);
  }
  ~AxisClip() {
    if (out_ != nullptr) out_->close_group();
  }
  AxisClip(AxisClip const&) = delete;
  AxisClip& operator=(AxisClip const&) = delete;

 private:
  SvgWriter* out_;
};

/// Text of all figures: sizes in pixels, and colour.
constexpr double figure_text = 13, small_figure_text = 11;
/// Width of the labels left of a panel.
constexpr double room_for_labels = 70;
constexpr Color ink{0x1d, 0x23, 0x2b}, area_bound_color{0xd5, 0x5e, 0x00};
constexpr SvgTextStyle plain{.size = figure_text, .color = ink};
constexpr SvgTextStyle heading{.size = figure_text, .color = ink, .bold = true};

// Each of these panels fills the box of its axis and writes labels left and right of it.

void draw_workers(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_states(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_iterations(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_occupation(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_levels(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel,
                 LevelScale const& scale);
/// Return the height of panels in pixels.
[[nodiscard]] double height_of_rows(std::size_t rows);
[[nodiscard]] double height_of_levels(RunView const& run, LevelPanel const& panel);
/// An entry of a legend: a colour, a scale of its shades or a dashed line.
struct LegendKey {
  NamedColor what;
  std::string most{};  // the text of the largest value if shades show values
  bool line = false;
};
/// Returns the legend of a panel of levels.
[[nodiscard]] std::vector<LegendKey> legend_of_levels(RunView const& run, LevelPanel const& panel,
                                                      LevelScale const& scale);
/// Returns the share of a colour that shows a share of the largest value: one of a few shades.
[[nodiscard]] double shade_of(double share);

/// Returns the curves that a figure draws, without those that are always 0: one for each row if the panel
/// prefers rows, or else their sums. `curve` is the name in the legend.
[[nodiscard]] std::vector<LevelCurve> curves_of(RunView const& run, LevelPanel const& panel);

/// Returns the names of the runs above their parts of a figure: "A: name" if there are several, with their
/// paths where names are alike.
[[nodiscard]] std::vector<std::string> run_headings(std::span<RunView const> runs);

/// Figures that are drawn alone: bounds, and where the time of the makespan went.
[[nodiscard]] Drawing draw_bounds(std::span<RunView const> runs, FigureOptions const& options);
[[nodiscard]] Drawing draw_lost(std::span<RunView const> runs, FigureOptions const& options);

/// Returns what panels over time show: run, panel, row, curve, and the value from one date to another with its
/// unit. Of iterations, the dates of their first, median and last end.
[[nodiscard]] Table panel_numbers(std::span<RunView const> runs, std::vector<std::string> const& names);

/// Calls `visit(first, width)` for each run of columns with equal `look(column)`.
template <class Look, class Visit>
void for_each_run(std::size_t columns, Look const& look, Visit const& visit) {
  for (std::size_t first = 0, next = 0; first < columns; first = next) {
    while (next < columns && look(next) == look(first)) ++next;
    visit(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(next - first));
  }
}

/// Returns the colour mixed with white; `share` of 1 is the colour itself.
[[nodiscard]] Color on_white(Color color, double share);

}  // namespace factosim
