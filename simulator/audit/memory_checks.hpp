#pragma once

#include <vector>

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// The most bytes that a memory held at once. Where one replica goes at the date at which another comes, no
/// trace tells which was first: both readings are possible.
struct Peak {
  std::int64_t minimum = 0, maximum = 0;
};
/// [memory nodes]; empty where the trace does not tell.
[[nodiscard]] std::vector<Peak> memory_peaks(RunView const& view);

/// What a task works on has a place in its worker's memory while it runs; places fill no memory beyond what
/// tiles may use of it.
void check_memory(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
