#pragma once

#include <string>
#include <vector>

#include "simulator/report/analysis/run_view.hpp"

namespace factosim {

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
