// The numbers behind panels over time.

#include <fmt/format.h>

#include <algorithm>

#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

class Numbers {
 public:
  explicit Numbers(std::span<RunView const> runs) : names_(run_headings(runs)) {}

  void add(std::size_t run, RunView const& view, std::string const& panel) {
    run_ = names_[run];
    panel_ = panel;
    auto const levels = std::ranges::find(level_panels(), panel, &LevelPanel::id);
    unit_ = levels != level_panels().end() ? levels->unit : panel == "iterations" ? "s" : "share";
    auto const node = [&](std::uint32_t n) { return view.run.summary.nodes[n].name; };
    auto const worker = [&](std::size_t w) {
      return node(view.workers[w].node) + " " + view.workers[w].name;
    };
    if (panel == "workers") {
      cells(view.worker_cells, view.kernels, view.makespan_s(), worker);
    } else if (panel == "states") {
      cells(view.state_cells, view.states, view.makespan_s(), worker);
    } else if (panel == "iterations") {
      for (RunView::Iteration const& i : view.iterations)
        for (auto const& [curve, date] :
             {std::pair("first end", i.first_end_s), std::pair("median end", i.median_end_s),
              std::pair("last end", i.last_end_s)})
          row(fmt::format("k = {}", i.k), curve, nullptr, nullptr, date);
    } else if (panel == "nodes") {
      for (RunView::Occupation const& of : view.occupation)
        for (std::size_t k = 0; k < of.share.size(); ++k)
          values((of.gpu ? "GPU " : "CPU ") + node(of.node), view.kernels[k].name, of.share[k], view);
    } else {
      for (LevelCurve const& c : curves_of(view, *levels)) values(c.row, c.curve, c.values, view);
    }
  }

  [[nodiscard]] Table table() && { return std::move(out_); }

 private:
  void row(std::string const& name, std::string const& curve, Table::Cell from, Table::Cell to,
           double value) {
    out_.rows.push_back({run_, panel_, name, curve, std::move(from), std::move(to), value, unit_});
  }

  /// Adds the values of equal intervals from 0 to the makespan; equal neighbours are one.
  void values(std::string const& name, std::string const& curve, std::vector<float> const& of,
              RunView const& view) {
    double const interval = view.makespan_s() / static_cast<double>(of.size());
    for_each_run(
        of.size(), [&](std::size_t i) { return of[i]; },
        [&](std::uint32_t first, std::uint32_t width) {
          if (of[first] != 0)
            row(name, curve, first * interval, (first + width) * interval, static_cast<double>(of[first]));
        });
  }

  template <class RowName>
  void cells(CellRows const& of, std::vector<NamedColor> const& colors, double end_s, RowName const& name) {
    double const interval = end_s / static_cast<double>(of.columns);
    for (std::size_t r = 0; r < of.rows; ++r) {
      auto const look = [&](std::size_t c) {
        return std::pair(of.color[of.at(r, c)], of.share[of.at(r, c)]);
      };
      for_each_run(of.columns, look, [&](std::uint32_t first, std::uint32_t width) {
        auto const [color, share] = look(first);
        if (color != CellRows::empty)
          row(name(r), colors[color].name, first * interval, (first + width) * interval, share / 255.0);
      });
    }
  }

  std::vector<std::string> names_;
  std::string run_, panel_, unit_;
  Table out_{.columns = {"run", "panel", "row", "curve", "from_s", "to_s", "value", "unit"},
             .parameters = {},
             .rows = {}};
};

}  // namespace

Table panel_numbers(std::span<RunView const> runs, std::vector<std::string> const& names) {
  Numbers out(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::string const& panel : names) out.add(r, runs[r], panel);
  return std::move(out).table();
}

}  // namespace factosim
