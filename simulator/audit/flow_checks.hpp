#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Checks that tasks wait for their dependencies and that each version is sent once to each node that needs
/// it, after it was written.
void check_dependencies(RunView const& view, DataFlow const& flow, AuditReport& report);
void check_messages(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Tracks the version in each memory from executions, copies and messages. Checks that inputs are in the
/// worker's memory during the whole task, and that copies and messages start where their data is.
void check_replicas(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
