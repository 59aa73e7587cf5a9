#pragma once

#include <vector>

#include "simulator/audit/rules/audited_run.hpp"
#include "simulator/audit/rules/run_view.hpp"

namespace factosim::audit {

/// Relative tolerance of loads of links and of durations of transfers: SimGrid's precision.
inline constexpr double flow_round_off = 1e-6;

// Each function makes some of the checks of README.md, which has their rules and methods.

/// Machine and tasks. Sets `view.aligned`, on which other checks depend.
void check_tasks(RunView& view, AuditReport& report);
/// Skipped for an application without a second construction.
void check_graph(RunView const& view, AuditReport& report);
void check_map(RunView const& view, AuditReport& report);
/// Owner, worker, overlap, submission, barriers and durations.
void check_executions(RunView const& view, AuditReport& report);
/// With noise, durations lie in the support of the distribution: normal, between 10 and 190 % of the mean; empirical, a scaled
/// sample of the timing. Lognormal noise and factors of workers: the average of many lies within six standard errors.
void check_durations(RunView const& view, AuditReport& report);
void check_dependencies(RunView const& view, DataFlow const& flow, AuditReport& report);
void check_messages(RunView const& view, DataFlow const& flow, AuditReport& report);
void check_posts(RunView const& view, DataFlow const& flow, AuditReport& report);
/// Inputs and sources, by the version in each memory over time.
void check_replicas(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Bandwidth, links, sends and wire. No link may carry more than its bandwidth in any span of time: a transfer that starts
/// and ends within a span has crossed each of its links in it. The condition holds for all spans exactly if jobs with these
/// releases and deadlines, served earliest deadline first, are all in time (processor demand criterion: Baruah, Rosier,
/// Howell, Real-Time Systems 2, 1990). This takes O(n log n) instead of checking all pairs of dates.
void check_links(RunView const& view, AuditReport& report);
/// Replays all transfers, from their starts, through an independent max-min solver.
void check_fairness(RunView const& view, AuditReport& report);
/// Costs of submissions, and overheads.
void check_overheads(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Peak of the allocated bytes of a memory. The trace does not order an allocation and a release at the same
/// date, so both orders are permitted.
struct Peak {
  std::int64_t minimum = 0, maximum = 0;
};
/// [memory nodes]; empty if the trace has no allocations.
[[nodiscard]] std::vector<Peak> memory_peaks(RunView const& view);

/// Memory and places.
void check_memory(RunView const& view, AuditReport& report);

/// Summary and bounds. Without a trace, only consequences of the scenario are checked.
void check_summary(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
