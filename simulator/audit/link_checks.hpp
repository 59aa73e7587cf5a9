#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// Checks that no transfer takes less than the latency of its route plus its bytes at the narrowest link,
/// that no link carries more than its bandwidth in any span of time, and that no node, nor all nodes
/// together, have more messages in flight than permitted.
///
/// Spans: a transfer that starts and ends within a span has crossed each of its links in it. The condition
/// holds for all spans exactly if jobs with these releases and deadlines, served earliest deadline first, are
/// all in time (processor demand criterion: Baruah, Rosier, Howell, Real-Time Systems 2, 1990). This takes
/// O(n log n) instead of checking all pairs of dates.
void check_links(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
