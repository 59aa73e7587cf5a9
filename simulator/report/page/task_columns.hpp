#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace factosim
