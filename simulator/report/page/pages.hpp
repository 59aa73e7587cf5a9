#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/analysis/sweep_record.hpp"

namespace factosim {

/// Returns the tasks that ran, in the order of the trace. O(n log n).
[[nodiscard]] TaskColumns task_columns(Causes const& causes, RunView const& view);

/// Runs with more tasks are shown without single tasks: the page would be larger than 30 MB.
constexpr std::size_t max_detailed_tasks = 1'500'000;

/// Writes the page of one or several runs (see `write_page_file`). Times are aligned at the runs' origins. A run
/// without tasks has aggregated levels only. `comparison`: of two runs; it may be null.
void write_run_page(TextFile& out, std::vector<RunView> const& runs, RunComparison const* comparison,
                    std::string_view generator);

/// Options of the page of a sweep.
struct SweepPageOptions {
  std::string source;                          // path of the sweep, for the commands on the page
  std::string x, series;                       // columns to show first; "": those of the first plot
  std::map<std::string, std::string> reports;  // relative URLs of the pages of points, by id
};

/// Writes the page of all points of a sweep, including failed and missing ones (see `write_page_file`).
void write_sweep_page(TextFile& out, SweepRecord const& record, SweepPageOptions const& options,
                      std::string_view generator);

}  // namespace factosim
