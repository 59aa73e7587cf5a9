#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/sweep_record.hpp"

namespace factosim {

/// Returns the label of a column of a sweep's table for axes and legends: "Makespan (s)" of "makespan_s",
/// "Nodes of type chetemi" of "nodes_chetemi", "Scheduler" of "scheduler/type". Units are in parentheses.
[[nodiscard]] std::string column_label(std::string_view column);

/// Everything that a page draws of a sweep, computed once for every choice of axes that the page offers. The
/// page only selects.
struct SweepView {
  /// Means of the groups of replicas in one metric; NaN: the group has no value.
  struct Metric {
    std::string name;
    std::vector<double>
        mean;  // [groups]; speed-up: of 1 / makespan, to be multiplied by the chart's baseline
    std::vector<double> bound;  // [groups] bound of the metric for any schedule; empty: unknown for all
    /// [groups] 95 % confidence interval of the mean, minimum, quartiles and maximum; NaN: fewer than two values.
    /// Empty if no group has two.
    std::vector<std::array<float, 7>> spread;
  };
  struct Chart {
    std::string where;                            // labels and values of the other parameters
    std::vector<std::vector<std::size_t>> lines;  // groups of each line, x increases
    std::vector<std::size_t> failed;              // rows without results, failed or missing
    std::map<std::string, std::vector<std::size_t>>
        bounds;           // by metric: groups with the best bound at each x
    double baseline = 0;  // makespan of speed-ups; infinite: unknown
  };
  /// The charts for one choice of x and lines ("": one line).
  struct Arrangement {
    std::string x, series;
    std::vector<std::string> parameters;  // the others, that distinguish the charts
    std::vector<Chart> charts;
  };

  std::string x, series;                         // columns to show first; series may be ""
  std::vector<std::string> axes;                 // columns that may be x or the lines
  std::vector<std::vector<std::size_t>> groups;  // rows with results, by combination of parameters
  std::vector<Metric> metrics;
  std::vector<Arrangement> arrangements;
  std::size_t done = 0, failed = 0, missing = 0, replicas = 0;  // points; replicas: of one combination
};

/// `x`, `series`: columns to show first; "": those of the sweep's first plot. O(axes^2 parameters^2 points).
[[nodiscard]] SweepView view_of_sweep(SweepRecord const& record, std::string const& x,
                                      std::string const& series);

}  // namespace factosim
