#pragma once

#include <vector>

#include "simulator/base/core/finding.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns warnings about a run: kernels with constant durations (a simulated trace), kernels with few
/// executions, overlapping tasks of one worker, tasks that started before a predecessor ended, messages
/// that arrived before they were sent, left before their data were written, or arrived after these were
/// read (clocks of nodes differ). Each kind is reported once, with its count and the largest deviation.
/// O(tasks log tasks).
[[nodiscard]] std::vector<Finding> check_trace(Trace const& trace);

}  // namespace factosim
