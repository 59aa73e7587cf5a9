#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/run_view.hpp"
#include "simulator/os/text_file.hpp"
#include "simulator/report/page/task_columns.hpp"

namespace factosim {

/// A run on a page; without `tasks` (too many of them, or no trace) it shows aggregated levels only.
struct ReportedRun {
  RunView view;
  std::optional<TaskColumns> tasks;
};

/// More tasks are not told one by one: the page would be above 30 MB.
constexpr std::size_t max_detailed_tasks = 1'500'000;

/// A page that needs nothing but a browser: all numbers, styles and programs are in it, and its policy
/// forbids it to load anything. Names and texts of the runs are data of it, never markup. Times are aligned
/// at the runs' origins.
void write_run_page(TextFile& out, std::vector<ReportedRun> const& runs, std::string_view generator);

}  // namespace factosim
