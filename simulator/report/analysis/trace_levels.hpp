#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A quantity over time, for each of several rows.
struct LevelRows {
  std::string id;                          // "ready_tasks"
  std::vector<std::vector<float>> rows{};  // [nodes or memory nodes][intervals] averages
};

/// Computes the levels of each node over time from a trace: "submitted_tasks", "ready_tasks",
/// "running_tasks", "gflops", "messages_sent" and "messages_received" (in flight), "nic_out_Bps",
/// "nic_in_Bps", and for copies "h2d_Bps", "d2h_Bps", "d2d_Bps", "h2h_Bps" (bytes of a transfer spread over
/// its time). Levels without data are left out. O(tasks log transfers).
[[nodiscard]] std::vector<LevelRows> trace_levels(Trace const& trace, double origin_s, double end_s,
                                                  std::size_t intervals);

/// Computes the bytes of data in use in each memory node ("memory_bytes"): in RAM the tiles that the node
/// owns; in RAM and GPUs the data that arrived or were written there, until their last use there (read,
/// written or sent). Traces do not record evictions, so this is the working set, not the allocated memory.
/// Returns no rows if the trace has no data. O(n log n) in accesses and transfers.
[[nodiscard]] LevelRows memory_levels(Trace const& trace, double origin_s, double end_s,
                                      std::size_t intervals);

}  // namespace factosim
