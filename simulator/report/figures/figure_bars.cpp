// Figures of bars: bounds and time breakdowns.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "factosim/quantity.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/report/analysis/run_bounds.hpp"
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

void put_heading(SvgWriter& out, double y, std::string_view text, double width) {
  out.text(border, y, shortened_to(text, width - 2 * border, heading), heading);
}

/// Parts of less than this share of the makespan are drawn as one.
constexpr double least_share = 0.01;

/// Returns the parts from the longest on; small ones become one part at the end.
std::vector<TimePart> drawn_parts(RunView const& run, TimeBreakdown const& breakdown) {
  std::vector<TimePart> parts = time_parts(run, breakdown);
  std::ranges::stable_sort(parts, std::greater(), &TimePart::seconds);
  auto const small = std::ranges::find_if(
      parts, [&](TimePart const& p) { return p.seconds < least_share * run.makespan_s(); });
  if (parts.end() - small < 2) return parts;
  TimePart rest{
      .what = {fmt::format("{} others, less than 1 % each", parts.end() - small), {0xb5, 0xb5, 0xb5}}};
  for (auto part = small; part != parts.end(); ++part) rest.seconds += part->seconds;
  parts.erase(small, parts.end());
  parts.push_back(std::move(rest));
  return parts;
}

constexpr double part_row = 19, parts_at = 236, parts_width = 330, numbers_width = 130;

/// Draws one bar below another, each from the end of the one above it. Returns the lower end.
double draw_waterfall(SvgWriter& out, RunView const& run, std::vector<TimePart> const& parts, double y,
                      double longest) {
  auto const x = [&](double seconds) { return parts_at + parts_width * seconds / longest; };
  double sum = 0;
  auto const label = [&](std::string const& name, double seconds, double end) {
    constexpr SvgTextStyle style{.size = small_figure_text, .anchor = Anchor::end, .color = ink};
    out.text(parts_at - 8, y, shortened_to(name, parts_at - 8 - border / 2, style), style);
    out.text(x(end) + 6, y,
             fmt::format("{} ({:.1f} %)", format_duration({seconds}), 100 * seconds / run.makespan_s()),
             {.size = small_figure_text, .color = ink});
  };
  for (TimePart const& part : parts) {
    draw_part(out, {x(sum), y - 7, x(sum + part.seconds) - x(sum), 14}, part);
    sum += part.seconds;
    out.line(x(sum), y + 7, x(sum), y + part_row - 7, ink, 0.6);
    label(part.what.name, part.seconds, sum);
    y += part_row;
  }
  out.rectangle({x(0), y - 7, x(sum) - x(0), 14}, ink);
  label("sum", sum, sum);
  return y + part_row;
}

}  // namespace

Drawing draw_bounds(std::span<RunView const> runs, FigureOptions const& options) {
  SvgWriter out(options.style);
  Table numbers{.columns = {"run", "bound", "seconds"}, .parameters = {}, .rows = {}};
  auto const headings = run_headings(runs);
  double const width = bars_at + bar_width + 146, longest = longest_of(runs);
  double y = border + row_height / 2;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    RunView const& run = runs[r];
    put_heading(out, y, runs.size() == 1 ? options.title.value_or(headings[r]) : headings[r], width);
    for (RunBound const& bar : run_bounds(run)) {
      y += row_height;
      out.text(bars_at - 8, y, bar.short_name, {.size = figure_text, .anchor = Anchor::end, .color = ink});
      out.rectangle({bars_at, y - 7, bar_width, 14}, track);
      out.rectangle({bars_at, y - 7, bar_width * bar.seconds / longest, 14},
                    bar.name == "makespan" ? vermilion : blue);
      out.text(
          bars_at + bar_width + 8, y,
          fmt::format("{} ({:.1f} %)", format_duration({bar.seconds}), 100 * bar.seconds / run.makespan_s()),
          plain);
      numbers.rows.push_back({headings[r], bar.name, bar.seconds});
    }
    y += 1.6 * row_height;
  }
  return {out.picture(width, y - 0.6 * row_height, "Bounds"), std::move(numbers)};
}

Drawing draw_lost(std::span<RunView const> runs, FigureOptions const& options) {
  SvgWriter out(options.style);
  Table numbers{.columns = {"run", "account", "part", "seconds"}, .parameters = {}, .rows = {}};
  double const width = parts_at + parts_width + numbers_width;
  auto const headings = run_headings(runs);
  double const longest = longest_of(runs);
  double y = border + row_height / 2;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    RunView const& run = runs[r];
    put_heading(out, y, runs.size() == 1 ? options.title.value_or(headings[r]) : headings[r], width);
    std::pair<char const*, TimeBreakdown const*> const accounts[] = {
        {"The chain of tasks that the end waited for", &run.run.chain.breakdown},
        {"What a worker did on average", &run.run.workers}};
    for (auto const& [title, breakdown] : accounts) {
      y += row_height;
      out.text(border, y, title, plain);
      y = draw_waterfall(out, run, drawn_parts(run, *breakdown), y + row_height, longest);
      for (TimePart const& part : time_parts(run, *breakdown))
        numbers.rows.push_back({headings[r], title, part.what.name, part.seconds});
    }
    y += 0.8 * row_height;
  }
  return {out.picture(width, y - 0.6 * row_height, "Where the time went"), std::move(numbers)};
}

}  // namespace factosim
