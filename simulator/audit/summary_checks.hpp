#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Every number of the result that follows from the run or from the scenario is worked out anew, and the
/// makespan is no less than any bound. A number that nothing here works out is told as skipped; of a run
/// without a trace, what the scenario and the result's other numbers imply is checked.
void check_summary(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
