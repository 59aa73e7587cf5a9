#pragma once

#include <cstddef>

#include "simulator/analysis/level_rows.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// Bytes of data in use in each memory node ("memory_bytes"): in RAM the tiles that the node owns; there and
/// in GPUs what has arrived, or was written there, until it was last used there (read, written, or sent on).
/// A trace tells no evictions, so this is what a memory must hold, not what the runtime left lying in it.
/// Nothing where the trace knows no data. O(n log n) in accesses and transfers.
[[nodiscard]] LevelRows memory_levels(Trace const& trace, double origin_s, double end_s,
                                      std::size_t intervals);

}  // namespace factosim
