#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/run_view.hpp"
#include "simulator/report/page/task_columns.hpp"

namespace factosim {

/// A run on a page; without `tasks` (too many of them, or no trace) the page shows aggregated levels only.
struct ReportedRun {
  RunView view;
  std::optional<TaskColumns> tasks;
};

/// Runs with more tasks are shown without single tasks: the page would be larger than 30 MB.
constexpr std::size_t max_detailed_tasks = 1'500'000;

/// Writes the page of one or several runs (see `write_page_file`). Times are aligned at the runs' origins.
void write_run_page(TextFile& out, std::vector<ReportedRun> const& runs, std::string_view generator);

}  // namespace factosim
