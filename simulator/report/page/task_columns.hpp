#pragma once

#include <cstdint>
#include <vector>

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// Every task of a run, for a page on which one may point at it. Struct of arrays, some 20 bytes a task and
/// 4 per dependency. Dates are in ticks since the run's origin.
struct TaskColumns {
  static constexpr std::uint32_t none = 0xffffffff;

  double tick_s = 0;                       // a nanosecond, or what lets the makespan fit into 32 bits
  std::vector<std::uint32_t> number;       // [tasks] in the trace; empty: its place here
  std::vector<std::uint8_t> kernel;        // [tasks] index into the kernels of the report
  std::vector<std::uint16_t> worker;       // [tasks]
  std::vector<std::uint32_t> start;        // [tasks]
  std::vector<std::uint32_t> duration;     // [tasks]
  std::vector<std::uint16_t> k, m, n;      // [tasks] 65535: none; empty: unknown
  std::vector<std::uint8_t> waited_for;    // [tasks] Cause::Kind of what came last before it; 255: unknown
  std::vector<std::uint32_t> waited_task;  // [tasks] how many places before it that task stands, plus 2^31:
      // the predecessor, who sent the message, who ran on the worker; or none
  std::vector<std::uint32_t> ready;        // [tasks] ticks between that and the start
  std::vector<std::uint8_t> predecessors;  // [tasks] how many; at most 255 are told
  std::vector<std::uint32_t> predecessor;  // how many places before it each stands
  std::vector<std::uint32_t> chain;        // tasks of the chain that the end waited for, last first
};

/// The tasks that ran, in the order of the trace. O(n log n).
[[nodiscard]] TaskColumns task_columns(Trace const& trace, RunView const& view);

}  // namespace factosim
