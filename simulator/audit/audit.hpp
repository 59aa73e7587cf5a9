#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/audited_run.hpp"

namespace factosim::audit {

/// Checks a run against its scenario, and its result against the run, by all rules of
/// simulator/audit/README.md. Shares no code with the simulator. O((tasks + accesses + transfers) log).
[[nodiscard]] AuditReport audit(AuditedRun const& run);

}  // namespace factosim::audit
