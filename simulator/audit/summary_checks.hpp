#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Recomputes every number of the result that follows from the run or the scenario, and checks that the
/// makespan is at least every bound. Numbers without an expected value are reported as skipped; without a
/// trace, only consequences of the scenario and of other numbers of the result are checked.
void check_summary(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
