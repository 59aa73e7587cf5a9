#pragma once

#include <cstddef>
#include <vector>

#include "simulator/analysis/level_rows.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Computes the levels of each node over time from a trace: "submitted_tasks", "ready_tasks",
/// "running_tasks", "gflops", "messages_sent" and "messages_received" (in flight), "nic_out_Bps",
/// "nic_in_Bps", and for copies "h2d_Bps", "d2h_Bps", "d2d_Bps", "h2h_Bps" (bytes of a transfer spread over
/// its time). Levels without data are left out. O(tasks log transfers).
[[nodiscard]] std::vector<LevelRows> trace_levels(Trace const& trace, double origin_s, double end_s,
                                                  std::size_t intervals);

}  // namespace factosim
