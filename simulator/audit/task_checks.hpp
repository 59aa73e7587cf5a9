#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Checks that the workers of the trace are those of the platform and that every task of the application was
/// executed once, as its kernel. Sets `view.aligned`, on which other checks depend.
void check_tasks(RunView& view, AuditReport& report);

/// Checks that tasks run on the owner of the data they write, on workers that can run them, one at a time,
/// after their submission and barrier, and for the kernel's duration.
void check_executions(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
