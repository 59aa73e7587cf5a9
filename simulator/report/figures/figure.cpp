#include "simulator/report/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/report/figures/figure_panels.hpp"
#include "simulator/report/figures/line_plot.hpp"
#include "simulator/report/figures/map_picture.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr SvgTextStyle key_style{.size = 12, .color = ink};

constexpr double gutter = 78, right = 54, margin = 10, title_height = 20, heading_height = 20,
                 axis_height = 38, between = 10;
/// A scale bar.
constexpr double bar_length = 72, bar_steps = 24;

/// A panel over time of a figure.
struct FigurePanel {
  std::string name, title;
  LevelPanel const* levels = nullptr;  // of curves; null: of rows
};

FigurePanel panel_of(std::string const& name) {
  if (name == "workers") return {name, "Workers (right: idle)"};
  if (name == "states") return {name, "Worker states"};
  if (name == "iterations") return {name, "Iterations"};
  if (name == "nodes") return {name, "Node occupation (right: busy)"};
  auto const found = std::ranges::find(level_panels(), name, &LevelPanel::id);
  FACTOSIM_EXPECT(found != level_panels().end(), "a name of figure_names()");
  return {name, found->title, &*found};
}

/// Returns the title of a panel of levels, with its unit.
std::string title_with_unit(LevelPanel const& panel, LevelScale const& scale) {
  bool const named = panel.title.find(panel.unit.substr(1)) != std::string::npos;  // also with a capital
  return named ? panel.title : fmt::format("{} ({})", panel.title, scale.unit);
}

[[maybe_unused]] bool stands_alone(std::string_view name) {
  return name == "map" || name == "bounds" || name == "lost";
}

double height_of(RunView const& run, FigurePanel const& panel) {
  if (panel.levels != nullptr) return height_of_levels(run, *panel.levels);
  if (panel.name == "iterations") return std::min(190.0, height_of_rows(run.iterations.size()));
  if (panel.name == "nodes") return std::clamp(static_cast<double>(run.occupation.size()) * 22, 60.0, 300.0);
  return height_of_rows(run.workers.size());
}

void draw(SvgWriter& out, RunView const& run, FigurePanel const& panel, TimeAxis const& axis,
          LevelScale const& scale) {
  if (panel.levels != nullptr)
    draw_levels(out, run, axis, *panel.levels, scale);
  else if (panel.name == "workers")
    draw_workers(out, run, axis);
  else if (panel.name == "states")
    draw_states(out, run, axis);
  else if (panel.name == "iterations")
    draw_iterations(out, run, axis);
  else
    draw_occupation(out, run, axis);
  out.frame(axis.box, ink, 0.8);
}

void add_keys(std::vector<LegendKey>& legend, std::vector<LegendKey> const& more) {
  for (LegendKey const& key : more)
    if (std::ranges::none_of(legend, [&](LegendKey const& k) { return k.what.name == key.what.name; }))
      legend.push_back(key);
}

std::vector<LegendKey> keys_of(std::vector<NamedColor> const& colors) {
  std::vector<LegendKey> out;
  for (NamedColor const& c : colors) out.push_back({c});
  return out;
}

/// Returns the states that occur.
std::vector<NamedColor> seen_states(RunView const& run) {
  std::vector<NamedColor> out;
  for (std::size_t s = 0; s < run.states.size(); ++s)
    if (std::ranges::find(run.state_cells.color, static_cast<std::uint8_t>(s)) != run.state_cells.color.end())
      out.push_back(run.states[s]);
  return out;
}

class Figure {
 public:
  Figure(std::span<RunView const> runs, std::vector<std::string> const& names, FigureOptions const& options)
      : runs_(runs), options_(options), out_(options.style) {
    for (std::string const& name : names) panels_.push_back(panel_of(name));
    auto const count = static_cast<double>(runs.size());
    double const natural = runs.size() == 1 ? 420 : runs.size() == 2 ? 330 : 260;
    double const beside = gutter + right + (count - 1) * (gutter + right - 16);
    width_ = std::max(100.0, (options.style.width(count * natural + beside) - beside) / count);
    for (RunView const& run : runs) end_ = std::max(end_, run.makespan_s());
    if (options.x.range) std::tie(begin_, end_) = *options.x.range;
  }

  std::string svg() {
    double y = margin;
    if (options_.title && !options_.title->empty()) {
      out_.text(gutter, y + title_height / 2, *options_.title, heading);
      y += title_height + 4;
    }
    if (runs_.size() > 1) {
      std::vector<std::string> const headings = run_headings(runs_);
      std::size_t lines = 1;
      for (std::size_t r = 0; r < runs_.size(); ++r)
        lines = std::max(lines, heading_lines(headings[r]).size());
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        double line = y + title_height / 2;
        for (std::string const& text : heading_lines(headings[r])) {
          out_.text(left_of(r), line, text, heading);
          line += heading_height - 3;
        }
      }
      y += title_height + 4 + static_cast<double>(lines - 1) * (heading_height - 3);
    }
    for (FigurePanel const& panel : panels_) y = draw_row(panel, y);
    for (std::size_t r = 0; r < runs_.size(); ++r) time_axis(left_of(r), y - between);
    return out_.picture(left_of(runs_.size() - 1) + width_ + right, y + axis_height - between + margin,
                        runs_.front().name);
  }

 private:
  [[nodiscard]] double left_of(std::size_t r) const {
    return gutter + static_cast<double>(r) * (width_ + gutter + right - 16);
  }

  /// Returns the heading of a run in at most three lines of the width of its column.
  [[nodiscard]] std::vector<std::string> heading_lines(std::string const& text) const {
    constexpr std::size_t max_lines = 3;
    double const room = width_ + right - 8;
    std::vector<std::string> out = wrapped(text, heading, room);
    if (out.size() <= max_lines) return out;
    out.resize(max_lines);
    std::string const& cut = out.back();
    out.back() = shortened_to(cut + "\u2026", room, heading);
    return out;
  }

  /// Draws one panel of all runs, with its legend. Returns its lower end.
  double draw_row(FigurePanel const& panel, double top) {
    LevelScale const scale = panel.levels != nullptr ? scale_of(runs_, *panel.levels) : LevelScale{};
    std::vector<LegendKey> legend;
    double height = 0;
    for (RunView const& run : runs_) {
      height = std::max(height, height_of(run, panel));
      add_keys(legend, panel.levels != nullptr  ? legend_of_levels(run, *panel.levels, scale)
                       : panel.name == "states" ? keys_of(seen_states(run))
                                                : keys_of(run.kernels));
    }
    std::string const title = panel.levels != nullptr ? title_with_unit(*panel.levels, scale) : panel.title;
    out_.text(gutter, top + heading_height / 2, title, heading);
    // The kernels of a figure have one legend.
    bool const of_kernels = panel.levels == nullptr && panel.name != "states";
    if (of_kernels && std::exchange(kernels_named_, true)) legend.clear();
    bool const bounded =
        std::ranges::any_of(runs_, [](RunView const& run) { return run.run.summary.abe_s > 0; });
    if (panel.name == "workers" && bounded) legend.push_back(area_bounds());
    double const below = keys(legend, gutter + text_width(title, heading) + 16, top + heading_height / 2);
    for (std::size_t r = 0; r < runs_.size(); ++r)
      draw(out_, runs_[r], panel, {{left_of(r), below + heading_height / 2, width_, height}, begin_, end_},
           scale);
    return below + heading_height / 2 + height + between + 2;
  }

  /// Draws colours, or scale bars, and names from (x, y) on, in lines. Returns the middle of the last line.
  double keys(std::vector<LegendKey> const& legend, double x, double y) {
    double const end = left_of(runs_.size() - 1) + width_ + right - margin;
    constexpr double gap = 4, swatch = 10;
    for (LegendKey const& key : legend) {
      std::string const name = key.most.empty() || legend.size() == 1 ? "" : key.what.name + " ";
      std::string const before = key.most.empty() ? "" : name + "0",
                        after = key.most.empty() ? key.what.name : key.most;
      double const lead = before.empty() ? 0 : text_width(before, key_style) + gap;
      double const length = !key.most.empty() ? bar_length : key.line ? 2 * swatch : swatch;
      double const wide = lead + length + gap + text_width(after, key_style);
      if (x + wide > end) x = gutter, y += 16;
      if (!before.empty()) out_.text(x, y, before, key_style);
      draw_key(key, {x + lead, y - 5, length, 10});
      out_.text(x + lead + length + gap, y, after, key_style);
      x += wide + 12;
    }
    return y;
  }

  /// Returns the key of the dashed line of the workers.
  [[nodiscard]] LegendKey area_bounds() const {
    bool const several =
        std::ranges::any_of(runs_, [](RunView const& run) { return run.run.summary.nodes.size() > 1; });
    return {.what = {several ? "area bound (short marks: of each node)" : "area bound", area_bound_color},
            .line = true};
  }

  void draw_key(LegendKey const& key, SvgBox box) {
    if (key.line) {
      std::pair<double, double> const ends[] = {{box.left, box.top + 5}, {box.left + box.width, box.top + 5}};
      return out_.polyline(ends, key.what.color, 1.5, "5");
    }
    if (key.most.empty()) return out_.rectangle(box, key.what.color);
    double const step = box.width / bar_steps;
    for (int i = 0; i < static_cast<int>(bar_steps); ++i)
      out_.rectangle({box.left + i * step, box.top, step, box.height},
                     on_white(key.what.color, shade_of((i + 0.5) / bar_steps)));
    out_.frame(box, ink, 0.5);
  }

  void time_axis(double left, double y) {
    TimeAxis const axis{{left, 0, width_, 0}, begin_, end_};
    for (double const tick : axis_ticks(begin_, end_, std::clamp(static_cast<int>(width_ / 52), 2, 12))) {
      out_.line(axis.x(tick), y, axis.x(tick), y + 5, ink, 1);
      out_.text(axis.x(tick), y + 13, tick_label(tick),
                {.size = small_figure_text + 1, .anchor = Anchor::middle, .color = ink});
    }
    out_.text(left + width_ / 2, y + 30, options_.x.label.value_or("Time (s)"),
              {.size = figure_text, .anchor = Anchor::middle, .color = ink});
  }

  std::span<RunView const> runs_;
  FigureOptions const& options_;
  std::vector<FigurePanel> panels_;
  SvgWriter out_;
  double width_ = 0, begin_ = 0, end_ = 0;
  bool kernels_named_ = false;
};

Table map_numbers(TileMap const& map) {
  Table out{.columns = {"m", "n", "owner"}, .parameters = {}, .rows = {}};
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < map.nt; ++n)
      if (NodeId const owner = map.at(m, n); owner.valid()) out.rows.push_back({m, n, owner.value()});
  return out;
}

std::string map_figure(RunView const& run, FigureOptions const& options) {
  std::vector<std::string> types;
  for (RunSummary::Node const& n : run.run.summary.nodes) types.push_back(n.type);
  return map_svg({.map = run.map,
                  .title = options.title.value_or(run.name),
                  .node_types = std::move(types),
                  .tiles_per_node = run.node_tiles});
}

}  // namespace

std::vector<std::string> figure_names() {
  std::vector<std::string> out{"iterations", "workers", "states", "nodes"};
  for (LevelPanel const& p : level_panels()) out.push_back(p.id);
  for (char const* alone : {"map", "bounds", "lost"}) out.emplace_back(alone);
  return out;
}

bool has_figure(RunView const& run, std::string_view name) {
  if (name == "iterations") return run.iterations.size() > 1;
  if (name == "workers") return run.worker_cells.rows > 0;
  if (name == "states") return run.state_cells.rows > 0;
  if (name == "nodes") return !run.occupation.empty();
  if (name == "map") return run.map.mt > 0;
  if (name == "lost") return run.run.traced;
  if (name == "bounds") return true;
  auto const panel = std::ranges::find(level_panels(), name, &LevelPanel::id);
  return panel != level_panels().end() && !curves_of(run, *panel).empty();
}

std::vector<std::string> run_headings(std::span<RunView const> runs) {
  if (runs.size() == 1) return {runs.front().name};
  bool alike = false;
  for (RunView const& a : runs)
    for (RunView const& b : runs) alike = alike || (&a != &b && a.name == b.name);
  std::vector<std::string> out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    out.push_back(fmt::format("{}: {}", "ABCD"[r],
                              alike || runs[r].name.empty() ? runs[r].run.summary.source : runs[r].name));
  return out;
}

Drawing draw_figure(std::span<RunView const> runs, std::vector<std::string> const& names,
                    FigureOptions const& options) {
  FACTOSIM_EXPECT(!runs.empty() && !names.empty(), "something to draw");
  FACTOSIM_EXPECT(names.size() == 1 || std::ranges::none_of(names, stands_alone),
                  "panels over time are stacked, others stand alone");
  if (names.front() == "map") return {map_figure(runs.front(), options), map_numbers(runs.front().map)};
  if (names.front() == "bounds") return draw_bounds(runs, options);
  if (names.front() == "lost") return draw_lost(runs, options);
  return {Figure(runs, names, options).svg(), panel_numbers(runs, names)};
}

}  // namespace factosim
