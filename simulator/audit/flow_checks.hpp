#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Tasks wait for what they depend on; each version goes once to each node that needs it, after it exists.
void check_dependencies(RunView const& view, DataFlow const& flow, AuditReport& report);
void check_messages(RunView const& view, DataFlow const& flow, AuditReport& report);

/// An own bookkeeping of which memory has which version, from executions, copies and messages: inputs are in
/// the worker's memory from the start of a task to its end, and what is copied or sent is where it leaves
/// from.
void check_replicas(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
