#pragma once

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// Computes the view of a run from its trace. Throws InputError if no task ran. O(n log n) in tasks, accesses
/// and transfers.
[[nodiscard]] RunView view_of_trace(Trace const& trace, ComparedRun run);

}  // namespace factosim
