// Panels of coloured rows: workers, their states, iterations, the occupation of nodes.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;
using Points = std::vector<std::pair<double, double>>;

constexpr Color white{0xff, 0xff, 0xff}, rule_color{0xbb, 0xbb, 0xbb};
constexpr std::size_t max_rows = 150;

/// Draws the cells of a run until `end_s`; equal neighbours become one rectangle, and a partly used cell is
/// paler. `upwards`: the first row is the lowest, and low shares stay visible.
void draw_cells(SvgWriter& out, CellRows const& all, std::vector<NamedColor> const& colors,
                TimeAxis const& axis, double end_s, bool upwards) {
  // A cell is at least one pixel wide.
  SvgBox box = axis.box;
  box.left = axis.x(0);
  box.width = axis.x(end_s) - box.left;
  CellRows const cells = coarser(all, max_rows, static_cast<std::size_t>(box.width));
  constexpr int shades = 4;
  auto const look = [&](std::size_t row, std::size_t column) {
    std::size_t const cell = cells.at(row, column);
    double const share = cells.share[cell] / 255.0;
    int const shade =
        static_cast<int>(upwards ? std::ceil(shades * std::sqrt(share)) : std::round(shades * share));
    return cells.color[cell] == CellRows::empty || shade == 0 ? -1 : cells.color[cell] * (shades + 1) + shade;
  };
  std::map<int, std::vector<SvgWriter::Cells>> boxes;  // by look
  for (std::size_t row = 0; row < cells.rows; ++row) {
    auto const drawn_at = static_cast<std::uint32_t>(upwards ? cells.rows - 1 - row : row);
    auto const look_at = [&](std::size_t column) { return look(row, column); };
    for_each_run(cells.columns, look_at, [&](std::uint32_t first, std::uint32_t width) {
      if (look_at(first) >= 0) boxes[look_at(first)].push_back({first, drawn_at, width});
    });
  }
  for (auto const& [key, list] : boxes) {
    NamedColor const& color = colors[static_cast<std::size_t>(key / (shades + 1))];
    double const share = static_cast<double>(key % (shades + 1)) / shades;
    out.cells(box, cells.columns, cells.rows, list,
              on_white(color.color, upwards ? 0.25 + 0.75 * share : share), color.name);
  }
}

/// Writes names beside rows and skips those without room.
class RowLabels {
 public:
  RowLabels(SvgWriter& out, double x, Anchor anchor) : out_(out), x_(x), anchor_(anchor) {}

  void put(double y, std::string_view text) {
    if (y - last_ < small_figure_text + 1) return;
    last_ = y;
    out_.text(x_, y, text, {.size = small_figure_text, .anchor = anchor_, .color = ink});
  }

 private:
  SvgWriter& out_;
  double x_;
  Anchor anchor_;
  double last_ = -1e9;
};

/// Calls `visit(node, first worker, end)` for each node; workers of a node are consecutive.
template <class Visit>
void for_each_node(RunView const& run, Visit const& visit) {
  for (std::size_t first = 0; first < run.workers.size();) {
    std::size_t next = first;
    while (next < run.workers.size() && run.workers[next].node == run.workers[first].node) ++next;
    visit(run.workers[first].node, first, next);
    first = next;
  }
}

void label_workers(SvgWriter& out, RunView const& run, TimeAxis const& axis, bool idle) {
  double const height = axis.box.height / static_cast<double>(run.workers.size());
  RowLabels names(out, axis.box.left - 6, Anchor::end);
  RowLabels shares(out, axis.box.left + axis.box.width + 6, Anchor::start);
  bool const each = height >= small_figure_text + 1;
  for (std::size_t w = 0; each && w < run.workers.size(); ++w)
    names.put(axis.box.top + (static_cast<double>(w) + 0.5) * height,
              run.run.summary.nodes.size() > 1
                  ? run.run.summary.nodes[run.workers[w].node].name + " " + run.workers[w].name
                  : run.workers[w].name);
  for_each_node(run, [&](std::uint32_t n, std::size_t first, std::size_t end) {
    RunSummary::Node const& node = run.run.summary.nodes[n];
    double const top = axis.box.top + static_cast<double>(first) * height;
    double const bottom = axis.box.top + static_cast<double>(end) * height;
    if (!each)
      names.put((top + bottom) / 2, shortened_to(node.label(), room_for_labels,
                                                 {.size = small_figure_text, .anchor = Anchor::end}));
    if (first > 0 && bottom - top > 3)
      out.line(axis.box.left, top, axis.box.left + axis.box.width, top, rule_color, 0.6);
    if (!idle) return;
    double const total = static_cast<double>(node.workers) * run.makespan_s();
    shares.put((top + bottom) / 2, fmt::format("{:.0f} %", 100 * node.idle_s / total));
    if (node.abe_s <= 0 || !axis.shows(node.abe_s)) return;
    double const x = axis.x(node.abe_s);
    out.line(x, top, x, bottom, white, 4);
    out.line(x, top, x, bottom, ink, 2);
  });
}

}  // namespace

double height_of_rows(std::size_t rows) {
  return std::clamp(static_cast<double>(rows) * (small_figure_text + 2), 90.0, 300.0);
}

void draw_workers(SvgWriter& out, RunView const& run, TimeAxis const& axis) {
  {
    AxisClip const clip(out, axis, run);
    draw_cells(out, run.worker_cells, run.kernels, axis, run.makespan_s(), false);
  }
  label_workers(out, run, axis, true);
  double const abe = run.run.summary.abe_s;
  if (abe <= 0 || !axis.shows(abe)) return;
  Points const line{{axis.x(abe), axis.box.top}, {axis.x(abe), axis.box.top + axis.box.height}};
  out.polyline(line, white, 3);
  out.polyline(line, area_bound_color, 1.5, "5");
}

void draw_states(SvgWriter& out, RunView const& run, TimeAxis const& axis) {
  {
    AxisClip const clip(out, axis, run);
    draw_cells(out, run.state_cells, run.states, axis, run.makespan_s(), false);
  }
  label_workers(out, run, axis, false);
}

void draw_iterations(SvgWriter& out, RunView const& run, TimeAxis const& axis) {
  std::optional<AxisClip> clip(std::in_place, out, axis, run);
  if (run.iteration_cells.rows > 0)
    draw_cells(out, run.iteration_cells, run.kernels, axis, run.makespan_s(), true);
  double const height = axis.box.height / static_cast<double>(run.iterations.size());
  auto const y = [&](std::size_t row) {
    return axis.box.top + axis.box.height - (static_cast<double>(row) + 0.5) * height;
  };
  std::array<Points, 3> lines;
  for (std::size_t r = 0; r < run.iterations.size(); ++r) {
    RunView::Iteration const& i = run.iterations[r];
    lines[0].emplace_back(axis.x(i.first_end_s), y(r));
    lines[1].emplace_back(axis.x(i.median_end_s), y(r));
    lines[2].emplace_back(axis.x(i.last_end_s), y(r));
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    out.polyline(lines[l], white, 3.2);
    out.polyline(lines[l], ink, 1.5, l == 1 ? "5" : "");
  }
  clip.reset();
  RowLabels labels(out, axis.box.left - 6, Anchor::end);
  std::size_t step = 1;
  for (std::size_t const s : {1U, 2U, 5U, 10U, 20U, 25U, 50U, 100U, 250U, 1000U})
    if (static_cast<double>(step = s) * height >= small_figure_text + 4) break;
  for (std::size_t r = (run.iterations.size() - 1) / step * step + 1; r > 0; r -= std::min(r, step))
    labels.put(y(r - 1), fmt::format("k = {}", run.iterations[r - 1].k));
}

namespace {

/// Returns the means of `share` over columns of equal width, clamped so that their sum with `below` is at
/// most 1.
std::vector<double> share_of_columns(std::vector<float> const& share, std::vector<double> const& below) {
  std::size_t const columns = below.size(), intervals = share.size();
  std::vector<double> out(columns, 0);
  for (std::size_t c = 0; c < columns; ++c) {
    std::size_t const from = c * intervals / columns, to = std::max(from + 1, (c + 1) * intervals / columns);
    for (std::size_t i = from; i < to; ++i) out[c] += static_cast<double>(share[i]);
    out[c] = std::min(out[c] / static_cast<double>(to - from), 1 - below[c]);
  }
  return out;
}

/// Returns the outline of the area between two levels from 0 to 1, in columns that fill a box.
Points outline(std::vector<double> const& below, std::vector<double> const& above, SvgBox const& box) {
  Points points;
  std::size_t const columns = below.size();
  auto const corner = [&](std::size_t column, double level) {
    double const y = box.top + box.height * (1 - level);
    // The middle one of three points on one level is redundant.
    if (points.size() > 1 && std::abs(points.back().second - y) < 0.05 &&
        std::abs(points[points.size() - 2].second - y) < 0.05)
      points.pop_back();
    points.emplace_back(box.left + box.width * static_cast<double>(column) / static_cast<double>(columns), y);
  };
  for (std::size_t c = 0; c < columns; ++c) {
    corner(c, above[c]);
    corner(c + 1, above[c]);
  }
  for (std::size_t c = columns; c > 0; --c) {
    corner(c, below[c - 1]);
    corner(c - 1, below[c - 1]);
  }
  return points;
}

}  // namespace

void draw_occupation(SvgWriter& out, RunView const& run, TimeAxis const& axis) {
  std::size_t const rows = run.occupation.size();
  std::size_t const columns = std::clamp<std::size_t>(8000 / rows, 60, 250);
  double const height = axis.box.height / static_cast<double>(rows);
  double const gap = height > 8 ? 2 : height > 4 ? 1 : 0.3;
  RowLabels names(out, axis.box.left - 6, Anchor::end);
  RowLabels shares(out, axis.box.left + axis.box.width + 6, Anchor::start);
  for (std::size_t row = 0; row < rows; ++row) {
    RunView::Occupation const& of = run.occupation[row];
    SvgBox const box{.left = axis.x(0),
                     .top = axis.box.top + static_cast<double>(row) * height + gap / 2,
                     .width = axis.x(run.makespan_s()) - axis.x(0),
                     .height = height - gap};
    std::vector<double> below(columns, 0);
    std::optional<AxisClip> clip(std::in_place, out, axis, run);
    for (std::size_t k = 0; k < of.share.size(); ++k) {
      std::vector<double> above = share_of_columns(of.share[k], below);
      if (*std::max_element(above.begin(), above.end()) <= 0.002) continue;
      for (std::size_t c = 0; c < columns; ++c) above[c] += below[c];
      out.polygon(outline(below, above, box), run.kernels[k].color);
      below = std::move(above);
    }
    clip.reset();
    double const middle = box.top + box.height / 2;
    std::string const kind = of.gpu ? "GPU" : "CPU";
    names.put(middle,
              run.run.summary.nodes.size() > 1 ? kind + " " + run.run.summary.nodes[of.node].name : kind);
    shares.put(middle, fmt::format("{:.0f} %", 100 * of.busy_share));
  }
}

Color on_white(Color color, double share) {
  auto const mixed = [&](std::uint8_t channel) {
    return static_cast<std::uint8_t>(std::lround(255 - share * (255 - channel)));
  };
  return {mixed(color.red), mixed(color.green), mixed(color.blue)};
}

}  // namespace factosim
