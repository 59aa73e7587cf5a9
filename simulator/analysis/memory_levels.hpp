#pragma once

#include <cstddef>

#include "simulator/analysis/level_rows.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Computes the bytes of data in use in each memory node ("memory_bytes"): in RAM the tiles that the node
/// owns; in RAM and GPUs the data that arrived or were written there, until their last use there (read,
/// written or sent). Traces do not record evictions, so this is the working set, not the allocated memory.
/// Returns no rows if the trace has no data. O(n log n) in accesses and transfers.
[[nodiscard]] LevelRows memory_levels(Trace const& trace, double origin_s, double end_s,
                                      std::size_t intervals);

}  // namespace factosim
