// Figures of bars: bounds, and where the time went.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "factosim/quantity.hpp"
#include "simulator/core/format.hpp"
#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color track{0xec, 0xec, 0xec}, blue{0x00, 0x72, 0xb2}, vermilion{0xd5, 0x5e, 0x00};
constexpr double bars_at = 176, bar_width = 300, border = 12, row_height = 22;

double longest_of(std::span<RunPanels const> runs) {
  double longest = 0;
  for (RunPanels const& run : runs) longest = std::max(longest, run.makespan_s());
  return longest;
}

struct Bar {
  std::string name;
  double seconds;
};

/// From result.json where there is one: its bounds take the models' means, those of a trace its own.
std::vector<Bar> bars_of(RunPanels const& run) {
  std::vector<Bar> out{{"makespan", run.makespan_s()}};
  if (auto const bounds = run.result.find("bounds"); run.result.is_object() && bounds != run.result.end()) {
    out.push_back({"area bound", bounds->value("abe_s", 0.0)});
    if (auto const nodes = bounds->value("abe_per_node_s", std::vector<double>{}); nodes.size() > 1)
      out.push_back({"most loaded node", std::ranges::max(nodes)});
    out.push_back({"critical path", bounds->value("critical_path_s", 0.0)});
    out.push_back({"with messages", bounds->value("critical_path_with_comm_s", 0.0)});
    return out;
  }
  out.push_back({"area bound", run.run.summary.abe_s});
  if (run.run.summary.critical_path_s > 0) out.push_back({"critical path", run.run.summary.critical_path_s});
  return out;
}

std::vector<std::pair<NamedColor, double>> parts_of(RunPanels const& run, TimeAccount const& account) {
  std::map<std::string, double> kernels;
  for (auto const& [key, kernel] : account.kernels) kernels[key.first] += kernel.seconds;
  std::vector<std::pair<NamedColor, double>> out;
  for (NamedColor const& k : run.kernels)
    if (auto const found = kernels.find(k.name); found != kernels.end()) out.emplace_back(k, found->second);
  auto const waits_of = wait_colors();
  for (std::size_t w = 0; w < waits; ++w)
    if (account.wait_s[w] > 0) out.emplace_back(waits_of[w], account.wait_s[w]);
  return out;
}

/// A part of an account; where nothing was run, with gaps, since a kernel may have the same colour.
void draw_part(SvgWriter& out, SvgBox const& box, NamedColor const& part, bool is_wait) {
  out.rectangle(box, part.color);
  constexpr double stripe = 4, gap = 1.5;
  for (double x = box.left + stripe - gap; is_wait && x < box.left + box.width; x += stripe)
    out.rectangle({x, box.top, std::min(gap, box.left + box.width - x), box.height}, {0xff, 0xff, 0xff});
}

bool is_wait(NamedColor const& part) {
  auto const waits_of = wait_colors();
  return std::ranges::find(waits_of, part.name, &NamedColor::name) != waits_of.end();
}

}  // namespace

std::string bounds_svg(std::span<RunPanels const> runs) {
  SvgWriter out;
  double const longest = longest_of(runs);
  double y = border + row_height / 2;
  for (RunPanels const& run : runs) {
    out.text(border, y, shortened_to(run.name, 70), heading);
    for (Bar const& bar : bars_of(run)) {
      y += row_height;
      out.text(bars_at - 8, y, bar.name, {.size = figure_text, .anchor = Anchor::end, .color = ink});
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

std::string lost_svg(std::span<RunPanels const> runs) {
  SvgWriter out;
  double const longest = longest_of(runs), width = bars_at + bar_width;
  double y = border + row_height / 2;
  for (RunPanels const& run : runs) {
    out.text(border, y, shortened_to(run.name, 70), heading);
    std::pair<char const*, TimeAccount const*> const accounts[] = {
        {"the chain of tasks that the end waited for", &run.run.chain.account},
        {"what a worker did, in the mean", &run.run.workers}};
    for (auto const& [title, account] : accounts) {
      y += row_height;
      out.text(border, y, title, plain);
      y += row_height;
      double x = border;
      auto const parts = parts_of(run, *account);
      for (auto const& [part, seconds] : parts) {
        double const part_width = width * seconds / longest;
        draw_part(out, {x, y - 9, part_width, 18}, part, is_wait(part));
        x += part_width;
      }
      for (auto const& [part, seconds] : parts) {
        y += row_height - 4;
        draw_part(out, {border, y - 5, 10, 10}, part, is_wait(part));
        out.text(border + 18, y,
                 fmt::format("{}  {}  {:.1f} %", part.name, format_duration({seconds}),
                             100 * seconds / run.makespan_s()),
                 {.size = 12, .color = ink});
      }
    }
    y += 1.6 * row_height;
  }
  return out.picture(width + 2 * border, y - 0.6 * row_height, "Where the time went");
}

}  // namespace factosim
