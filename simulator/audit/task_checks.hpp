#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// The machine of the trace is that of the platform; every task of the application has run, once, as the
/// kernel that it is. Says in `view` whether the rest of the trace can be held against the scenario.
void check_tasks(RunView& view, AuditReport& report);

/// Tasks are on the node that owns what they write, on workers that can run them, one at a time, after their
/// submission and their barrier, for as long as the kernel lasts.
void check_executions(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
