#include "simulator/report/analysis/sweep_view.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/curves.hpp"

namespace factosim {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::array<float, 7> spread_row(std::vector<double> const& values) {
  std::array<float, 7> out;
  out.fill(std::numeric_limits<float>::quiet_NaN());
  if (values.size() < 2) return out;
  Spread const s = spread_of(values);
  SampleSummary const q = summarize(values);
  std::ranges::transform(
      std::array{s.ci95_low, s.ci95_high, q.minimum, q.lower_quartile, q.median, q.upper_quartile, q.maximum},
      out.begin(), [](double v) { return static_cast<float>(v); });
  return out;
}

class SweepViewBuilder {
 public:
  SweepViewBuilder(SweepRecord const& record, std::string const& x, std::string const& series)
      : record_(record), table_(record.table), all_(table_.rows.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
    choose_axes(x, series);
  }

  SweepView view() {
    choose_metrics();
    ChartArranger const arranger(table_, parameters_, axes_);
    group_replicas(arranger);
    for (SweepMetric const& metric : metrics_) summarize_groups(metric);
    for (std::size_t const x : axes_) {
      arrange(arranger, x, std::nullopt);
      for (std::size_t const series : axes_)
        if (series != x) arrange(arranger, x, series);
    }
    return std::move(out_);
  }

 private:
  /// Parameters and numbers of nodes that vary, and what was asked for. The point's number if there are none.
  void choose_axes(std::string const& x, std::string const& series) {
    for (std::string const& name : table_.parameters) parameters_.push_back(*table_.find(name));
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      SweepColumn const kind = column_kind(table_, c);
      bool const chosen = kind == SweepColumn::parameter || kind == SweepColumn::machine;
      if (chosen && ChartArranger(table_, {c}, {}).combinations(all_, {c}).count > 1) axes_.push_back(c);
    }
    if (axes_.empty()) axes_.push_back(table_.find("point").value_or(0));
    auto const plots = plots_of(record_);
    std::string const first_x = plots.empty() ? "" : plots.front().x,
                      first_series = plots.empty() ? "" : plots.front().series;
    auto const number = std::ranges::find_if(axes_, [&](std::size_t c) { return holds_numbers(table_, c); });
    std::string const any = table_.columns[number == axes_.end() ? axes_.front() : *number];
    out_.x = known({x, first_x, any});
    out_.series = known({series, first_series});
    if (out_.series == out_.x) out_.series = first_x != out_.x ? known({first_x}) : "";
    for (std::string const& name : {out_.x, out_.series})
      if (auto const c = table_.find(name); c && std::ranges::find(axes_, *c) == axes_.end())
        axes_.push_back(*c);
    // Any axis distinguishes charts of the others, but numbers of nodes follow from parameters.
    for (std::size_t const c : axes_) {
      out_.axes.push_back(table_.columns[c]);
      SweepColumn const kind = column_kind(table_, c);
      if (kind != SweepColumn::parameter && kind != SweepColumn::machine) parameters_.push_back(c);
    }
  }
  /// Returns the first name that is a column; "" if none is.
  [[nodiscard]] std::string known(std::vector<std::string> const& names) const {
    auto const found = std::ranges::find_if(names, [&](auto const& n) { return table_.find(n).has_value(); });
    return found == names.end() ? "" : *found;
  }

  /// Results that are numbers; the speed-up comes after the first three.
  void choose_metrics() {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < table_.columns.size(); ++c)
      if (column_kind(table_, c) == SweepColumn::result && holds_numbers(table_, c) &&
          distinct_values(table_, c, 1) > 0)
        names.push_back(table_.columns[c]);
    if (std::ranges::find(names, "makespan_s") != names.end())
      names.insert(names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(3, names.size())),
                   "speedup");
    for (std::string const& name : names) metrics_.push_back(metric_of(table_, name));
  }

  void group_replicas(ChartArranger const& arranger) {
    auto const status = table_.find("status");
    for (std::size_t const row : all_) {
      bool const has_results =
          std::ranges::any_of(metrics_, [&](SweepMetric const& m) { return m.value[row].has_value(); });
      (has_results ? rows_ : failed_).push_back(row);
      std::string const text = status ? cell_text(table_.rows[row][*status]) : "done";
      ++(text == "done" ? out_.done : text == "failed" ? out_.failed : out_.missing);
    }
    if (auto const replica = table_.find("replica"))
      out_.replicas = distinct_values(table_, *replica, all_.size());
    auto const found = arranger.combinations(rows_, parameters_);
    out_.groups.resize(found.count);
    group_.assign(all_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      out_.groups[found.of[i]].push_back(rows_[i]);
      group_[rows_[i]] = found.of[i];
    }
  }

  void summarize_groups(SweepMetric const& metric) {
    SweepView::Metric& out = out_.metrics.emplace_back();
    out.name = metric.name;
    bool several = false, bounded = false;
    for (auto const& rows : out_.groups) {
      auto const values = known_numbers(metric.value, rows), bounds = known_numbers(metric.bound, rows);
      out.mean.push_back(values.empty() ? none : factosim::mean_of(values));
      out.bound.push_back(bounds.empty() ? none : factosim::mean_of(bounds));
      out.spread.push_back(spread_row(values));
      several = several || values.size() > 1;
      bounded = bounded || !bounds.empty();
    }
    if (!several) out.spread.clear();
    if (!bounded) out.bound.clear();
  }

  void arrange(ChartArranger const& arranger, std::size_t x, std::optional<std::size_t> series) {
    auto const with_x = [&](std::vector<std::size_t> rows) {
      std::erase_if(rows, [&](std::size_t r) { return table_.rows[r][x].is_null(); });
      return rows;
    };
    SweepView::Arrangement& out = out_.arrangements.emplace_back();
    out.x = table_.columns[x];
    if (series) out.series = table_.columns[*series];
    std::vector<std::size_t> const rows = with_x(rows_), others = arranger.distinguishing(rows, x, series);
    for (std::size_t const c : others) out.parameters.push_back(table_.columns[c]);
    std::map<std::string, std::size_t> places;
    for (ChartLayout const& layout : arranger.charts(rows, x, series, others)) {
      places[layout.description()] = out.charts.size();
      out.charts.push_back(chart_of(layout));
    }
    for (std::size_t const row : with_x(failed_)) {
      ChartLayout const alone = arranger.place(row, others);
      auto const [place, is_new] = places.try_emplace(alone.description(), out.charts.size());
      if (is_new) out.charts.emplace_back().where = alone.description(column_label);
      out.charts[place->second].failed.push_back(row);
    }
  }

  [[nodiscard]] SweepView::Chart chart_of(ChartLayout const& layout) const {
    SweepView::Chart out;
    out.where = layout.description(column_label);
    for (ChartLayout::Line const& line : layout.lines) {
      out.lines.emplace_back();
      for (auto const& [x, rows] : line.rows) out.lines.back().push_back(group_[rows.front()]);
    }
    for (SweepMetric const& metric : metrics_) {
      for (auto const& [x, best] : best_bounds(metric, layout))
        out.bounds[metric.name].push_back(group_[best.rows.front()]);
      if (metric.is_speedup()) out.baseline = speedup_baseline(metric, layout);
    }
    return out;
  }

  SweepRecord const& record_;
  Table const& table_;
  SweepView out_;
  std::vector<std::size_t> all_, rows_, failed_;  // rows; with results; without
  std::vector<std::size_t> parameters_, axes_;    // columns
  std::vector<std::size_t> group_;                // [rows]
  std::vector<SweepMetric> metrics_;
};

}  // namespace

SweepView view_of_sweep(SweepRecord const& record, std::string const& x, std::string const& series) {
  return SweepViewBuilder(record, x, series).view();
}

namespace {

using Label = std::pair<std::string_view, std::string_view>;

constexpr std::array labels{
    Label{"makespan_s", "Makespan (s)"},
    Label{"gflops", "Performance (GFlop/s)"},
    Label{"speedup", "Speed-up"},
    Label{"efficiency", "Efficiency"},
    Label{"abe_s", "Area bound (s)"},
    Label{"abe_of_most_loaded_s", "Area bound of the most loaded node (s)"},
    Label{"critical_path_s", "Critical path (s)"},
    Label{"critical_path_with_comm_s", "Critical path with communication (s)"},
    Label{"bound_s", "Lower bound of the makespan (s)"},
    Label{"tiles_sent", "Messages between nodes"},
    Label{"bytes_sent", "Data sent between nodes (B)"},
    Label{"h2d_bytes", "Data copied from RAM to GPUs (B)"},
    Label{"d2h_bytes", "Data copied from GPUs to RAM (B)"},
    Label{"d2d_bytes", "Data copied between GPUs (B)"},
    Label{"utilization_first_90", "Utilization in the first 90 % of the makespan"},
    Label{"activity_s", "Time with a running task (s)"},
    Label{"energy_J", "Energy (J)"},
    Label{"energy_with_power_off_J", "Energy, idle nodes powered off (J)"},
    Label{"node_hours", "Node-hours"},
    Label{"peak_memory_bytes", "Peak memory of a node (B)"},
    Label{"application/nt", "Tiles per row"},
    Label{"application/nb", "Tile size"},
    Label{"distribution", "Distribution"},
    Label{"scheduler/type", "Policy"},
    Label{"network/preset", "Network"},
};

constexpr std::array units{Label{"_s", "s"},        Label{"_bytes", "B"},  Label{"_Bps", "B/s"},
                           Label{"_J", "J"},        Label{"_W", "W"},      Label{"_Hz", "Hz"},
                           Label{"_flops", "flop"}, Label{"_percent", "%"}};

}  // namespace

std::string column_label(std::string_view column) {
  if (auto const found = std::ranges::find(labels, column, &Label::first); found != labels.end())
    return std::string(found->second);
  constexpr std::string_view nodes = "nodes_", type = "/type";
  if (column.starts_with(nodes)) return "Nodes of type " + std::string(column.substr(nodes.size()));
  if (column.ends_with(type)) column.remove_suffix(type.size());
  std::string out(column.substr(column.rfind('/') == column.npos ? 0 : column.rfind('/') + 1)), unit;
  for (auto const& [suffix, name] : units)
    if (out.size() > suffix.size() && out.ends_with(suffix)) {
      out.resize(out.size() - suffix.size());
      unit = " (" + std::string(name) + ")";
      break;
    }
  std::ranges::replace(out, '_', ' ');
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 32);
  return out + unit;
}

}  // namespace factosim
