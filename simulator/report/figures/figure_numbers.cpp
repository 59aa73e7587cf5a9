// The numbers and the rows of panels over time.

#include <fmt/format.h>

#include <algorithm>

#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

/// Calls `visit(first, width)` for each run of columns with equal `look(column)`.
template <class Look, class Visit>
void for_each_run(std::size_t columns, Look const& look, Visit const& visit) {
  for (std::size_t first = 0, next = 0; first < columns; first = next) {
    while (next < columns && look(next) == look(first)) ++next;
    visit(first, next - first);
  }
}

/// Averages neighbours so that at most `maximum` values are left; the number of values is kept.
std::vector<float> thinned(std::vector<float> values, std::size_t maximum) {
  std::size_t const step = (values.size() + maximum - 1) / maximum;
  for (std::size_t i = 0; step > 1 && i < values.size(); i += step) {
    auto const first = values.begin() + static_cast<std::ptrdiff_t>(i);
    auto const end = values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), i + step));
    double sum = 0;
    for (auto value = first; value != end; ++value) sum += static_cast<double>(*value);
    std::fill(first, end, static_cast<float>(sum / static_cast<double>(end - first)));
  }
  return values;
}

std::string node_name(RunView const& run, std::uint32_t node) { return run.run.summary.nodes[node].name; }

std::string worker_name(RunView const& run, std::size_t w) {
  return node_name(run, run.workers[w].node) + " " + run.workers[w].name;
}

std::string occupation_name(RunView const& run, RunView::Occupation const& of) {
  return (of.gpu ? "GPU " : "CPU ") + node_name(run, of.node);
}

std::string iteration_name(RunSummary::Iteration const& i) { return fmt::format("k = {}", i.k); }

class Numbers {
 public:
  Numbers(std::span<RunView const> runs, Resolution resolution)
      : names_(run_headings(runs)), drawn_(resolution == Resolution::drawn) {}

  void add(std::size_t run, RunView const& view, std::string const& panel) {
    run_ = names_[run];
    panel_ = panel;
    LevelPanel const* const levels = find_level_panel(panel);
    unit_ = levels != nullptr ? levels->unit : panel == "iterations" ? "s" : "share";
    if (panel == "workers")
      cells(view, view.worker_cells, view.kernels, [&](std::size_t w) { return worker_name(view, w); });
    else if (panel == "states")
      cells(view, view.state_cells, view.states, [&](std::size_t w) { return worker_name(view, w); });
    else if (panel == "iterations")
      iterations(view);
    else if (panel == "nodes")
      occupation(view);
    else
      this->levels(view, *levels);
  }

  [[nodiscard]] Table table() && { return std::move(out_); }

 private:
  void row(std::string const& name, std::string const& curve, Table::Cell from, Table::Cell to,
           double value) {
    out_.rows.push_back({run_, panel_, name, curve, std::move(from), std::move(to), value, unit_});
  }

  void iterations(RunView const& view) {
    for (RunSummary::Iteration const& i : view.run.summary.iterations)
      for (auto const& [curve, date] :
           {std::pair("first end", i.first_end_s), std::pair("median end", i.median_end_s),
            std::pair("last end", i.last_end_s)})
        row(iteration_name(i), curve, nullptr, nullptr, date);
    if (!drawn_) return;
    unit_ = "share";
    cells(view, view.iteration_cells, view.kernels,
          [&](std::size_t i) { return iteration_name(view.run.summary.iterations[i]); });
  }

  void occupation(RunView const& view) {
    for (RunView::Occupation const& of : view.occupation)
      for (std::size_t k = 0; k < of.share.size(); ++k)
        values(occupation_name(view, of), view.kernels[k].name, of.share[k], view,
               std::clamp<std::size_t>(8000 / view.occupation.size(), 60, 250));
  }

  void levels(RunView const& view, LevelPanel const& panel) {
    auto const curves = curves_of(view, panel);
    std::size_t const maximum = as_shaded_rows(panel, curves)
                                    ? std::clamp<std::size_t>(25000 / curves.size(), 80, 300)
                                    : max_drawn_values;
    for (LevelCurve const& c : curves) values(c.row, c.curve, c.values, view, maximum);
  }

  /// Adds the values of equal intervals from 0 to the makespan; equal neighbours are one.
  void values(std::string const& name, std::string const& curve, std::vector<float> const& all,
              RunView const& view, std::size_t maximum) {
    std::vector<float> const of = drawn_ ? thinned(all, maximum) : all;
    double const interval = view.makespan_s() / static_cast<double>(of.size());
    for_each_run(
        of.size(), [&](std::size_t i) { return of[i]; },
        [&](std::size_t first, std::size_t width) {
          if (of[first] != 0)
            row(name, curve, static_cast<double>(first) * interval,
                static_cast<double>(first + width) * interval, static_cast<double>(of[first]));
        });
  }

  template <class RowName>
  void cells(RunView const& view, CellRows const& all, std::vector<NamedColor> const& colors,
             RowName const& name) {
    CellRows const of = drawn_ ? coarser(all, max_drawn_rows, max_drawn_columns) : all;
    if (of.rows == 0) return;
    std::size_t const high = (all.rows + of.rows - 1) / of.rows,
                      wide = (all.columns + of.columns - 1) / of.columns;
    double const interval = view.makespan_s() / static_cast<double>(all.columns);
    for (std::size_t r = 0; r < of.rows; ++r) {
      auto const look = [&](std::size_t c) {
        return std::pair(of.color[of.at(r, c)], of.share[of.at(r, c)]);
      };
      for_each_run(of.columns, look, [&](std::size_t first, std::size_t width) {
        auto const [color, share] = look(first);
        if (color == CellRows::empty || (drawn_ && share == 0)) return;
        std::size_t const end = std::min(all.columns, (first + width) * wide);
        row(name(r * high), colors[color].name, static_cast<double>(first * wide) * interval,
            static_cast<double>(end) * interval, share / 255.0);
      });
    }
  }

  std::vector<std::string> names_;
  bool drawn_;
  std::string run_, panel_, unit_;
  Table out_{.columns = {"run", "panel", "row", "curve", "from_s", "to_s", "value", "unit"},
             .parameters = {},
             .rows = {}};
};

/// The rows of the panels of one run.
class Rows {
 public:
  explicit Rows(std::span<RunView const> runs) : names_(run_headings(runs)) {}

  void add(std::size_t run, RunView const& view, std::string const& panel) {
    run_ = names_[run];
    panel_ = panel;
    if (panel == "workers")
      workers(view, view.worker_cells, true);
    else if (panel == "states")
      workers(view, view.state_cells, false);
    else if (panel == "iterations")
      iterations(view);
    else if (panel == "nodes")
      occupation(view);
    else
      levels(view, *find_level_panel(panel));
  }

  [[nodiscard]] Table table() && { return std::move(out_); }

 private:
  void row(std::string const& name, std::string const& label, std::string const& group,
           std::string const& note, Table::Cell mark_s, std::string const& color) {
    out_.rows.push_back({run_, panel_, name, label, group, note, std::move(mark_s), color});
  }

  void workers(RunView const& view, CellRows const& cells, bool idle) {
    std::size_t const rows = coarse_size(cells, max_drawn_rows, max_drawn_columns).rows;
    std::size_t const high = rows == 0 ? 1 : (cells.rows + rows - 1) / rows;
    for (std::size_t w = 0; w < view.workers.size(); w += high) {
      RunSummary::Node const& node = view.run.summary.nodes[view.workers[w].node];
      double const total = static_cast<double>(node.workers) * view.makespan_s();
      row(worker_name(view, w),
          view.run.summary.nodes.size() > 1 ? worker_name(view, w) : view.workers[w].name, node.label(),
          idle ? fmt::format("{:.0f} %", 100 * node.idle_s / total) : "",
          idle && node.abe_s > 0 ? Table::Cell(node.abe_s) : Table::Cell(), "");
    }
  }

  void iterations(RunView const& view) {
    std::size_t const rows = coarse_size(view.iteration_cells, max_drawn_rows, max_drawn_columns).rows;
    std::size_t const high = rows == 0 ? 1 : (view.run.summary.iterations.size() + rows - 1) / rows;
    for (std::size_t i = 0; i < view.run.summary.iterations.size(); i += high)
      row(iteration_name(view.run.summary.iterations[i]), iteration_name(view.run.summary.iterations[i]), "",
          "", nullptr, "");
  }

  void occupation(RunView const& view) {
    for (RunView::Occupation const& of : view.occupation)
      row(occupation_name(view, of),
          view.run.summary.nodes.size() > 1 ? occupation_name(view, of)
          : of.gpu                          ? "GPU"
                                            : "CPU",
          "", fmt::format("{:.0f} %", 100 * of.busy_share), nullptr, "");
  }

  void levels(RunView const& view, LevelPanel const& panel) {
    for (LevelCurve const& c : curves_of(view, panel)) row(c.curve, "", c.row, "", nullptr, hex_of(c.color));
  }

  std::vector<std::string> names_;
  std::string run_, panel_;
  Table out_{.columns = {"run", "panel", "row", "label", "group", "note", "mark_s", "color"},
             .parameters = {},
             .rows = {}};
};

template <class Tables>
Table table_of(Tables out, std::span<RunView const> runs, std::vector<std::string> const& names) {
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::string const& panel : names) out.add(r, runs[r], panel);
  return std::move(out).table();
}

}  // namespace

Table panel_numbers(std::span<RunView const> runs, std::vector<std::string> const& names,
                    Resolution resolution) {
  return table_of(Numbers(runs, resolution), runs, names);
}

Table panel_rows(std::span<RunView const> runs, std::vector<std::string> const& names) {
  return table_of(Rows(runs), runs, names);
}

}  // namespace factosim
