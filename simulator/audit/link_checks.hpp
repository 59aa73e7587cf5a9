#pragma once

#include "simulator/audit/audit_report.hpp"
#include "simulator/audit/run_view.hpp"

namespace factosim::audit {

/// No transfer takes less than the latency of its route and its bytes at the narrowest link; no link carries
/// more than its bandwidth allows within any span of time; no node, and not all together, send more messages
/// at once than they may.
///
/// The spans: transfers that leave and arrive within one have crossed each of their links in it. That holds
/// for all spans exactly if jobs with these releases and deadlines, served earliest deadline first, all end
/// in time (the processor demand criterion: Baruah, Rosier, Howell, Real-Time Systems 2, 1990), which takes
/// O(n log n) instead of looking at all pairs of dates.
void check_links(RunView const& view, AuditReport& report);

}  // namespace factosim::audit
