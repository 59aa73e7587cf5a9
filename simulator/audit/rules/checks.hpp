#pragma once

#include <vector>

#include "simulator/audit/rules/audit_report.hpp"
#include "simulator/audit/rules/data_flow.hpp"
#include "simulator/audit/rules/run_view.hpp"

namespace factosim::audit {

/// Relative tolerance of loads of links and of durations of transfers: SimGrid's precision.
inline constexpr double flow_round_off = 1e-6;

/// Checks that the workers of the trace are those of the platform and that every task of the application was
/// executed once, as its kernel. Sets `view.aligned`, on which other checks depend.
void check_tasks(RunView& view, AuditReport& report);

/// Checks that the task graph is the one that the paper's formulas give: kernels, indices, priorities, operations,
/// data, direct predecessors in closed form, hints, phases and barriers. Skipped for an application without a
/// second construction.
void check_graph(RunView const& view, AuditReport& report);

/// Checks that the map of tiles follows the definition of its distribution, and that the owners of all data
/// follow the map.
void check_map(RunView const& view, AuditReport& report);

/// Checks the columns of the trace that other commands read: coordinates, sizes and owners of data, indices,
/// priorities, operations, predecessors, hints and numbers of tasks.
void check_columns(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Checks that tasks run on the owner of the data they write, on workers that can run them, one at a time,
/// after their submission and barrier, and for the kernel's duration.
void check_executions(RunView const& view, AuditReport& report);

/// Checks that kernels last their mean; with noise, that durations lie in the support of the distribution:
/// normal, between 10 and 190 % of the mean; empirical, a scaled sample of the timing. Lognormal noise and
/// factors of workers: the average of many lies within six standard errors.
void check_durations(RunView const& view, AuditReport& report);

/// Checks that tasks wait for their dependencies and that each version is sent once to each node that needs
/// it, after it was written.
void check_dependencies(RunView const& view, DataFlow const& flow, AuditReport& report);
void check_messages(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Tracks the version in each memory from executions, copies and messages. Checks that inputs are in the
/// worker's memory during the whole task, and that copies and messages start where their data is.
void check_replicas(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Checks that no transfer takes less than the latency of its route plus its bytes at the narrowest link,
/// that no link carries more than its bandwidth in any span of time, and that no node, nor all nodes
/// together, have more messages in flight than permitted.
///
/// Spans: a transfer that starts and ends within a span has crossed each of its links in it. The condition
/// holds for all spans exactly if jobs with these releases and deadlines, served earliest deadline first, are
/// all in time (processor demand criterion: Baruah, Rosier, Howell, Real-Time Systems 2, 1990). This takes
/// O(n log n) instead of checking all pairs of dates.
void check_links(RunView const& view, AuditReport& report);

/// Checks that each transfer ends when fair shares of its links say: replays all of them, from their starts, through
/// an independent max-min solver.
void check_fairness(RunView const& view, AuditReport& report);

/// Checks the dates of submission against the cost per unrolled task, and that no task starts before the runtime
/// system can have pushed, fetched and launched it.
void check_overheads(RunView const& view, DataFlow const& flow, AuditReport& report);

/// Peak of the allocated bytes of a memory. The trace does not order an allocation and a release at the same
/// date, so both orders are permitted.
struct Peak {
  std::int64_t minimum = 0, maximum = 0;
};
/// [memory nodes]; empty if the trace has no allocations.
[[nodiscard]] std::vector<Peak> memory_peaks(RunView const& view);

/// Checks that the data of a task is allocated in its worker's memory while it runs, and that allocations do
/// not exceed the capacity for tiles.
void check_memory(RunView const& view, AuditReport& report);

/// Recomputes every number of the result that follows from the run or the scenario, and checks that the
/// makespan is at least every bound. Numbers without an expected value are reported as skipped; without a
/// trace, only consequences of the scenario and of other numbers of the result are checked.
void check_summary(RunView const& view, DataFlow const& flow, AuditReport& report);

}  // namespace factosim::audit
