#pragma once

#include <string_view>
#include <vector>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/run_view.hpp"

namespace factosim {

/// Returns the tasks that ran, in the order of the trace. O(n log n).
[[nodiscard]] TaskColumns task_columns(Trace const& trace, RunView const& view);

/// Runs with more tasks are shown without single tasks: the page would be larger than 30 MB.
constexpr std::size_t max_detailed_tasks = 1'500'000;

/// Writes the page of one or several runs (see `write_page_file`). Times are aligned at the runs' origins. A run
/// without tasks has aggregated levels only.
void write_run_page(TextFile& out, std::vector<RunView> const& runs, std::string_view generator);

}  // namespace factosim
