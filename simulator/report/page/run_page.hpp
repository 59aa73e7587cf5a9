#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "simulator/base/os/text_file.hpp"
#include "simulator/report/analysis/run_view.hpp"

namespace factosim {

/// All tasks of a run, for a page that shows each of them. Struct of arrays, about 20 bytes per task and 4
/// per dependency. Dates are in ticks since the run's origin.
struct TaskColumns {
  static constexpr std::uint32_t none = 0xffffffff;

  double tick_s = 0;                     // a nanosecond, or more if the makespan needs more than 32 bits
  std::vector<std::uint32_t> number;     // [tasks] in the trace; empty: the index here
  std::vector<std::uint8_t> kernel;      // [tasks] index into the kernels of the report
  std::vector<std::uint16_t> worker;     // [tasks]
  std::vector<std::uint32_t> start;      // [tasks]
  std::vector<std::uint32_t> duration;   // [tasks]
  std::vector<std::uint16_t> k, m, n;    // [tasks] 65535: none; empty: unknown
  std::vector<std::uint8_t> waited_for;  // [tasks] Cause::Kind of its last cause; 255: unknown
  /// [tasks] distance to the task of that cause, plus 2^31: the predecessor, the sender of the message, or
  /// the previous task of the worker; `none`: unknown
  std::vector<std::uint32_t> waited_task;
  std::vector<std::uint32_t> ready;        // [tasks] ticks between the cause and the start
  std::vector<std::uint8_t> predecessors;  // [tasks] their number, at most 255
  std::vector<std::uint32_t> predecessor;  // distance of each to the task
  std::vector<std::uint32_t> chain;        // critical chain, last task first
};

/// Returns the tasks that ran, in the order of the trace. O(n log n).
[[nodiscard]] TaskColumns task_columns(Trace const& trace, RunView const& view);

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
