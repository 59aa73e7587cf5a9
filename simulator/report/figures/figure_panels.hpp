#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulator/analysis/level_panels.hpp"
#include "simulator/analysis/run_view.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

/// A part of a figure that shows one run over time.
struct TimeAxis {
  SvgBox box;    // of the plot, in pixels
  double end_s;  // of the axis, from 0

  [[nodiscard]] double x(double date_s) const { return box.left + box.width * date_s / end_s; }
};

/// Text of all figures: sizes in pixels, and colour.
constexpr double figure_text = 13, small_figure_text = 11;
constexpr Color ink{0x1d, 0x23, 0x2b};
constexpr SvgTextStyle plain{.size = figure_text, .color = ink};
constexpr SvgTextStyle heading{.size = figure_text, .color = ink, .bold = true};

// Each of these panels fills the box of its axis and writes labels left and right of it.

void draw_workers(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_states(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_iterations(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_occupation(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_levels(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel);
/// Return the height of panels in pixels.
[[nodiscard]] double height_of_rows(std::size_t rows);
[[nodiscard]] double height_of_levels(RunView const& run, LevelPanel const& panel);
/// Returns the legend of a panel of levels.
[[nodiscard]] std::vector<NamedColor> legend_of_levels(RunView const& run, LevelPanel const& panel);

/// Figures that are drawn alone: bounds, and time breakdowns.
[[nodiscard]] std::string bounds_svg(std::span<RunView const> runs);
[[nodiscard]] std::string lost_svg(std::span<RunView const> runs);

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
/// Returns the text, shortened to so many characters and "…".
[[nodiscard]] std::string shortened_to(std::string_view text, std::size_t characters);

}  // namespace factosim
