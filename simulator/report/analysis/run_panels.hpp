#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulator/report/analysis/run_view.hpp"

namespace factosim {

/// A panel of curves over time, the same on pages and in figures.
struct LevelPanel {
  struct Curve {
    std::string level;  // of RunView::levels
    std::string name;
    std::size_t color;  // of curve_colors
  };
  std::string id, title, unit;
  double scale = 1;  // from the level's unit to that of the panel
  std::vector<Curve> curves;
  bool by_row = false;        // by default shown by row, not as sums
  bool memory_nodes = false;  // rows are memory nodes
  bool against_workers =
      false;  // with a line at the number of workers, and shading where fewer tasks are ready
};

[[nodiscard]] std::vector<LevelPanel> const& level_panels();

/// A curve of a panel: a level of one node or memory node, or the sum over all of them.
struct LevelCurve {
  std::string curve;          // "ready"
  std::string row;            // node or memory node; "" of a sum
  std::string level;          // of RunView::levels
  std::size_t index = 0;      // of the row in that level
  std::uint32_t node = 0;     // of the row
  Color color;                // of `curve`
  std::vector<float> values;  // [intervals] in the unit of the panel

  [[nodiscard]] bool is_zero() const;
};

/// More curves than this, the number of `curve_colors`, are drawn as one shaded row each.
constexpr std::size_t max_level_curves = 7;

/// Returns the unit in which values up to `most` of the unit of a panel are shown, such as GB/s instead of
/// MB/s, and the factor to it.
[[nodiscard]] std::pair<std::string, double> shown_unit(std::string unit, double most);

/// Returns a curve of each level of the panel that the run has: its sum over all rows. Curves that are 0
/// all the time are left out unless all are.
[[nodiscard]] std::vector<LevelCurve> summed_curves(RunView const& run, LevelPanel const& panel);
/// Returns a curve of each level of each row, row after row, without those that are 0 all the time unless
/// all are.
[[nodiscard]] std::vector<LevelCurve> row_curves(RunView const& run, LevelPanel const& panel);
/// Returns whether the panel shows rows by default; otherwise it shows sums.
[[nodiscard]] bool shows_rows(RunView const& run, LevelPanel const& panel);

/// A bar of the panel "Bounds": the makespan, or a time that no schedule beats.
struct RunBound {
  std::string name, short_name, meaning;
  double seconds = 0;
};
/// Returns the makespan, then its bounds: those of result.json, which use the means of the models, or else
/// those of the trace, which use its own.
[[nodiscard]] std::vector<RunBound> run_bounds(RunView const& run);

/// A part of a time breakdown.
struct TimePart {
  NamedColor what;  // a kernel or a kind of wait
  double seconds = 0;
  bool is_wait = false;
};
/// Returns the parts that are not 0: kernels in the order of the run, over all resources, then waits.
[[nodiscard]] std::vector<TimePart> time_parts(RunView const& run, TimeBreakdown const& breakdown);

/// A row of the panel "Result".
struct RunTotal {
  std::string name, unit;  // "s", "B", "J", "share", "GFlop/s", or "" for a count
  double value = 0;
};
/// Returns the totals of a run, from result.json where there is one; without those that the run does not
/// have.
[[nodiscard]] std::vector<RunTotal> run_totals(RunView const& run);

}  // namespace factosim
