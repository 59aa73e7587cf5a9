#pragma once

#include <vector>

#include "simulator/core/finding.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What is odd about a run: kernels whose durations do not deviate (a simulated trace), kernels with few
/// executions, tasks of one worker that overlap, tasks that started before one they depend on had ended,
/// messages that came before they were sent, left before their data was written, or came after it was read
/// (clocks of nodes that differ). Each is told once, with how often and by how much. O(tasks log tasks).
[[nodiscard]] std::vector<Finding> check_trace(Trace const& trace);

}  // namespace factosim
