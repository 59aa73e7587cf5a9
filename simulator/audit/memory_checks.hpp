#pragma once

#include <vector>

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Peak of the allocated bytes of a memory. The trace does not order an allocation and a release at the same
/// date, so both orders are permitted.
struct Peak {
  std::int64_t minimum = 0, maximum = 0;
};
/// [memory nodes]; empty if the trace has no allocations.
[[nodiscard]] std::vector<Peak> memory_peaks(RunView const& view);

/// Checks that the data of a task is allocated in its worker's memory while it runs, and that allocations do
/// not exceed the capacity for tiles.
void check_memory(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
