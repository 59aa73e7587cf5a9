#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/audited_run.hpp"

namespace factosim::audit {

/// Holds a run against what its scenario asked for, and its result against the run: every rule of
/// simulator/audit/README.md. Shares no code with what simulated it. O((tasks + accesses + transfers) log).
[[nodiscard]] AuditReport audit(AuditedRun const& run);

}  // namespace factosim::audit
