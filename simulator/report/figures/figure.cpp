#include "simulator/report/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/report/figures/figure_panels.hpp"
#include "simulator/report/figures/line_plot.hpp"
#include "simulator/report/figures/map_picture.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr double gutter = 78, right = 54, margin = 10, title_height = 20, heading_height = 20,
                 axis_height = 38, between = 10;
/// Typical width of lower-case words, relative to the maximum that `text_width` returns.
constexpr double narrow = 0.93;

/// A panel over time of a figure.
struct FigurePanel {
  std::string name, title;
  LevelPanel const* levels = nullptr;  // of curves; null: of rows
};

FigurePanel panel_of(std::string const& name) {
  if (name == "workers") return {name, "Workers, and their idle time"};
  if (name == "states") return {name, "What workers waited for"};
  if (name == "iterations") return {name, "Iteration"};
  if (name == "nodes") return {name, "Node occupation"};
  auto const found = std::ranges::find(level_panels(), name, &LevelPanel::id);
  FACTOSIM_EXPECT(found != level_panels().end(), "a name of figure_names()");
  bool const told = found->title.find(found->unit) != std::string::npos;
  return {name, told ? found->title : found->title + ", " + found->unit, &*found};
}

bool stands_alone(std::string_view name) { return name == "map" || name == "bounds" || name == "lost"; }

double height_of(RunView const& run, FigurePanel const& panel) {
  if (panel.levels != nullptr) return height_of_levels(run, *panel.levels);
  if (panel.name == "iterations") return std::min(190.0, height_of_rows(run.iterations.size()));
  if (panel.name == "nodes") return std::clamp(static_cast<double>(run.occupation.size()) * 22, 60.0, 300.0);
  return height_of_rows(run.workers.size());
}

void draw(SvgWriter& out, RunView const& run, FigurePanel const& panel, TimeAxis const& axis) {
  if (panel.levels != nullptr)
    draw_levels(out, run, axis, *panel.levels);
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

void add_colors(std::vector<NamedColor>& legend, std::vector<NamedColor> const& more) {
  for (NamedColor const& c : more)
    if (std::ranges::find(legend, c.name, &NamedColor::name) == legend.end()) legend.push_back(c);
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
      std::vector<std::string> const headings = run_headings(runs_, 1e6);
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

  /// Returns the heading of a run in one or two lines of the width of its column.
  [[nodiscard]] std::vector<std::string> heading_lines(std::string const& text) const {
    auto const characters = static_cast<std::size_t>((width_ + right) / 8);
    if (text.size() <= characters) return {text};
    std::size_t const space = text.rfind(' ', characters);
    if (space == text.npos || space < 4) return {shortened_to(text, characters)};
    return {text.substr(0, space), shortened_to(std::string_view(text).substr(space + 1), characters)};
  }

  /// Draws one panel of all runs, with its legend. Returns its lower end.
  double draw_row(FigurePanel const& panel, double top) {
    std::vector<NamedColor> legend;
    double height = 0;
    for (RunView const& run : runs_) {
      height = std::max(height, height_of(run, panel));
      add_colors(legend, panel.levels != nullptr  ? legend_of_levels(run, *panel.levels)
                         : panel.name == "states" ? seen_states(run)
                                                  : run.kernels);
    }
    out_.text(gutter, top + heading_height / 2, panel.title, heading);
    double const below =
        keys(legend, gutter + 0.9 * text_width(panel.title, heading) + 16, top + heading_height / 2);
    for (std::size_t r = 0; r < runs_.size(); ++r)
      draw(out_, runs_[r], panel, {{left_of(r), below + heading_height / 2, width_, height}, begin_, end_});
    return below + heading_height / 2 + height + between + 2;
  }

  /// Draws colours and names from (x, y) on, in lines. Returns the middle of the last line.
  double keys(std::vector<NamedColor> const& legend, double x, double y) {
    if (legend.size() == 1 && legend.front().name == "GFlop/s") return y;
    double const end = left_of(runs_.size() - 1) + width_ + right - margin;
    SvgTextStyle const style{.size = 12, .color = ink};
    for (NamedColor const& c : legend) {
      double const wide = 15 + narrow * text_width(c.name, style);
      if (x + wide > end) x = gutter, y += 16;
      out_.rectangle({x, y - 5, 10, 10}, c.color);
      out_.text(x + 14, y, c.name, style);
      x += wide + 10;
    }
    return y;
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
  return panel != level_panels().end() && !legend_of_levels(run, *panel).empty();
}

std::vector<std::string> run_headings(std::span<RunView const> runs, double width) {
  if (runs.size() == 1) return {shortened_to(runs.front().name, static_cast<std::size_t>(width / 8))};
  bool alike = false;
  for (RunView const& a : runs)
    for (RunView const& b : runs) alike = alike || (&a != &b && a.name == b.name);
  std::vector<std::string> out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    out.push_back(
        fmt::format("{}  {}", "ABCD"[r],
                    shortened_to(alike || runs[r].name.empty() ? runs[r].run.summary.source : runs[r].name,
                                 static_cast<std::size_t>(width / 8))));
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
