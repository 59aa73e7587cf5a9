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

std::string iteration_name(RunView const& run, std::size_t i) {
  return fmt::format("k = {}", run.run.summary.iterations[i].k);
}

bool is_of_iterations(CellPanel const& panel) { return panel.cells == &RunView::iteration_cells; }

/// The tables of panels, filled one after the other.
class TablesOfPanels {
 public:
  explicit TablesOfPanels(Resolution resolution) : drawn_(resolution == Resolution::drawn) {}

  void add(std::string const& run, RunView const& view, std::string const& panel) {
    run_ = run;
    panel_ = panel;
    if (LevelPanel const* const of_levels = find_level_panel(panel)) return levels(view, *of_levels);
    CellPanel const& of_cells = *find_cell_panel(panel);
    if (is_of_iterations(of_cells)) iterations(view);
    unit_ = "share";
    if (of_cells.cells == nullptr) return occupation(view);
    rows_of_cells(view, of_cells);
    if (drawn_ || !is_of_iterations(of_cells)) cells(view, of_cells);
  }

  [[nodiscard]] PanelTables tables() && { return std::move(out_); }

 private:
  void number(std::string const& name, std::string const& curve, Table::Cell from, Table::Cell to,
              double value) {
    out_.numbers.rows.push_back({run_, panel_, name, curve, std::move(from), std::move(to), value, unit_});
  }

  void row(std::string const& name, std::string const& label, std::string const& group,
           std::string const& note, Table::Cell mark_s, std::string const& color) {
    out_.rows.rows.push_back({run_, panel_, name, label, group, note, std::move(mark_s), color});
  }

  void iterations(RunView const& view) {
    unit_ = "s";
    for (std::size_t i = 0; i < view.run.summary.iterations.size(); ++i) {
      RunSummary::Iteration const& of = view.run.summary.iterations[i];
      for (auto const& [curve, date] :
           {std::pair("first end", of.first_end_s), std::pair("median end", of.median_end_s),
            std::pair("last end", of.last_end_s)})
        number(iteration_name(view, i), curve, nullptr, nullptr, date);
    }
  }

  void occupation(RunView const& view) {
    for (RunView::Occupation const& of : view.occupation) {
      std::string const name = (of.gpu ? "GPU " : "CPU ") + node_name(view, of.node);
      row(name, view.run.summary.nodes.size() > 1 ? name : name.substr(0, 3), "",
          fmt::format("{:.0f} %", 100 * of.busy_share), nullptr, "");
      for (std::size_t k = 0; k < of.share.size(); ++k)
        values(name, view.kernels[k].name, of.share[k], view,
               std::clamp<std::size_t>(8000 / view.occupation.size(), 60, 250));
    }
  }

  void levels(RunView const& view, LevelPanel const& panel) {
    unit_ = panel.unit;
    auto const curves = curves_of(view, panel);
    std::size_t const maximum = as_shaded_rows(panel, curves)
                                    ? std::clamp<std::size_t>(25000 / curves.size(), 80, 300)
                                    : max_drawn_values;
    for (LevelCurve const& c : curves) {
      row(c.curve, "", c.row, "", nullptr, hex_of(c.color));
      values(c.row, c.curve, c.values, view, maximum);
    }
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
            number(name, curve, static_cast<double>(first) * interval,
                   static_cast<double>(first + width) * interval, static_cast<double>(of[first]));
        });
  }

  void rows_of_cells(RunView const& view, CellPanel const& panel) {
    std::size_t const high = coarse_size(view.*panel.cells, max_drawn_rows, max_drawn_columns).high,
                      rows =
                          is_of_iterations(panel) ? view.run.summary.iterations.size() : view.workers.size();
    for (std::size_t r = 0; r < rows; r += high)
      if (is_of_iterations(panel))
        row(iteration_name(view, r), iteration_name(view, r), "", "", nullptr, "");
      else
        row_of_worker(view, r, panel.cells == &RunView::worker_cells);
  }

  void row_of_worker(RunView const& view, std::size_t w, bool idle) {
    RunSummary::Node const& node = view.run.summary.nodes[view.workers[w].node];
    double const total = static_cast<double>(node.workers) * view.makespan_s();
    row(worker_name(view, w), view.run.summary.nodes.size() > 1 ? worker_name(view, w) : view.workers[w].name,
        node.label(), idle ? fmt::format("{:.0f} %", 100 * node.idle_s / total) : "",
        idle && node.abe_s > 0 ? Table::Cell(node.abe_s) : Table::Cell(), "");
  }

  void cells(RunView const& view, CellPanel const& panel) {
    CellRows const& all = view.*panel.cells;
    CellRows const of = drawn_ ? coarser(all, max_drawn_rows, max_drawn_columns) : all;
    auto const [rows, columns, high, wide] = coarse_size(all, of.rows, of.columns);
    double const interval = view.makespan_s() / static_cast<double>(all.columns);
    for (std::size_t r = 0; r < rows; ++r) {
      auto const look = [&](std::size_t c) {
        return std::pair(of.color[of.at(r, c)], of.share[of.at(r, c)]);
      };
      for_each_run(columns, look, [&](std::size_t first, std::size_t width) {
        auto const [color, share] = look(first);
        if (color == CellRows::empty || (drawn_ && share == 0)) return;
        std::size_t const end = std::min(all.columns, (first + width) * wide);
        std::string const name =
            is_of_iterations(panel) ? iteration_name(view, r * high) : worker_name(view, r * high);
        number(name, (view.*panel.colors)[color].name, static_cast<double>(first * wide) * interval,
               static_cast<double>(end) * interval, share / 255.0);
      });
    }
  }

  bool drawn_;
  std::string run_, panel_, unit_;
  PanelTables out_;
};

}  // namespace

PanelTables panel_tables(std::span<RunView const> runs, std::vector<std::string> const& names,
                         Resolution resolution) {
  TablesOfPanels out(resolution);
  std::vector<std::string> const headings = run_headings(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::string const& panel : names) out.add(headings[r], runs[r], panel);
  return std::move(out).tables();
}

}  // namespace factosim
