#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Checks that kernels last their mean; with noise, that durations lie in the support of the distribution:
/// normal, between 10 and 190 % of the mean; empirical, a scaled sample of the timing. Lognormal noise and
/// factors of workers: the average of many lies within six standard errors.
void check_durations(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
