#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Kernels last their mean; with noise what its distribution allows: normal, between 10 and 190 % of the
/// mean; empirical, a sample of the timing, drawn as scaled; lognormal, and where workers have factors, in
/// the mean of many within six standard errors.
void check_durations(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
