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

/// What all figures are written with: sizes of letters in pixels, their colour.
constexpr double figure_text = 13, small_figure_text = 11;
constexpr Color ink{0x1d, 0x23, 0x2b};
constexpr SvgTextStyle plain{.size = figure_text, .color = ink};
constexpr SvgTextStyle heading{.size = figure_text, .color = ink, .bold = true};

// Panels of figures: each fills the box of its axis and writes labels left and right of it.

void draw_workers(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_states(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_iterations(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_occupation(SvgWriter& out, RunView const& run, TimeAxis const& axis);
void draw_levels(SvgWriter& out, RunView const& run, TimeAxis const& axis, LevelPanel const& panel);
/// Pixels that they take.
[[nodiscard]] double height_of_rows(std::size_t rows);
[[nodiscard]] double height_of_levels(RunView const& run, LevelPanel const& panel);
/// What its colours mean.
[[nodiscard]] std::vector<NamedColor> legend_of_levels(RunView const& run, LevelPanel const& panel);

/// Figures of their own: what no schedule beats, and where the time went.
[[nodiscard]] std::string bounds_svg(std::span<RunView const> runs);
[[nodiscard]] std::string lost_svg(std::span<RunView const> runs);

/// Colours on the paper where only a part of them is seen.
[[nodiscard]] Color on_white(Color color, double share);
/// At most so many characters, "…" for the others.
[[nodiscard]] std::string shortened_to(std::string_view text, std::size_t characters);

}  // namespace factosim
