// Figures of bars: bounds and time breakdowns.

#include <fmt/format.h>

#include <algorithm>

#include "factosim/quantity.hpp"
#include "simulator/analysis/run_bounds.hpp"
#include "simulator/core/format.hpp"
#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color track{0xec, 0xec, 0xec}, blue{0x00, 0x72, 0xb2}, vermilion{0xd5, 0x5e, 0x00};
constexpr double bars_at = 176, bar_width = 300, border = 12, row_height = 22;

double longest_of(std::span<RunView const> runs) {
  double longest = 0;
  for (RunView const& run : runs) longest = std::max(longest, run.makespan_s());
  return longest;
}

/// Draws a part of a time breakdown. Waits have gaps, since a kernel may have the same colour.
void draw_part(SvgWriter& out, SvgBox const& box, TimePart const& part) {
  out.rectangle(box, part.what.color);
  constexpr double stripe = 4, gap = 1.5;
  for (double x = box.left + stripe - gap; part.is_wait && x < box.left + box.width; x += stripe)
    out.rectangle({x, box.top, std::min(gap, box.left + box.width - x), box.height}, {0xff, 0xff, 0xff});
}

}  // namespace

std::string bounds_svg(std::span<RunView const> runs) {
  SvgWriter out;
  double const longest = longest_of(runs);
  double y = border + row_height / 2;
  for (RunView const& run : runs) {
    out.text(border, y, shortened_to(run.name, 70), heading);
    for (RunBound const& bar : run_bounds(run)) {
      y += row_height;
      out.text(bars_at - 8, y, bar.short_name, {.size = figure_text, .anchor = Anchor::end, .color = ink});
      out.rectangle({bars_at, y - 7, bar_width, 14}, track);
      out.rectangle({bars_at, y - 7, bar_width * bar.seconds / longest, 14},
                    bar.name == "makespan" ? vermilion : blue);
      out.text(
          bars_at + bar_width + 8, y,
          fmt::format("{}  {:.1f} %", format_duration({bar.seconds}), 100 * bar.seconds / run.makespan_s()),
          plain);
    }
    y += 1.6 * row_height;
  }
  return out.picture(bars_at + bar_width + 136, y - 0.6 * row_height, "Bounds");
}

std::string lost_svg(std::span<RunView const> runs) {
  SvgWriter out;
  double const longest = longest_of(runs), width = bars_at + bar_width;
  double y = border + row_height / 2;
  for (RunView const& run : runs) {
    out.text(border, y, shortened_to(run.name, 70), heading);
    std::pair<char const*, TimeBreakdown const*> const accounts[] = {
        {"the chain of tasks that the end waited for", &run.run.chain.breakdown},
        {"what a worker did, in the mean", &run.run.workers}};
    for (auto const& [title, breakdown] : accounts) {
      y += row_height;
      out.text(border, y, title, plain);
      y += row_height;
      double x = border;
      auto const parts = time_parts(run, *breakdown);
      for (TimePart const& part : parts) {
        double const part_width = width * part.seconds / longest;
        draw_part(out, {x, y - 9, part_width, 18}, part);
        x += part_width;
      }
      for (TimePart const& part : parts) {
        y += row_height - 4;
        draw_part(out, {border, y - 5, 10, 10}, part);
        out.text(border + 18, y,
                 fmt::format("{}  {}  {:.1f} %", part.what.name, format_duration({part.seconds}),
                             100 * part.seconds / run.makespan_s()),
                 {.size = 12, .color = ink});
      }
    }
    y += 1.6 * row_height;
  }
  return out.picture(width + 2 * border, y - 0.6 * row_height, "Where the time went");
}

}  // namespace factosim
