#pragma once

#include "factosim/result.hpp"
#include "simulator/report/diagnosis/diagnosed_run.hpp"

namespace factosim {

/// Names the constraint whose removal would shorten a run most, or none if no removal saves a tenth of the
/// makespan T. What each removal leaves is estimated:
///
/// - Delays (messages, copies, copies of evicted data, submission): the simulation without them, if there is one.
///   Else T less their part of the critical chain (`ChainTimes`), and not below the bounds that stay: without messages
///   the most loaded node D, the longest chain on the owners' workers C, the bound of the problem P; else that of the
///   distribution.
/// - Load balance between nodes, the critical path: T less what max(D, C, P) loses without D, or without C and
///   the chain in P. The area bound of all workers stays.
/// - Policies react to limits: they leave GPUs whose bus is full, and workers without tasks. What a simulation
///   without a limit saves beyond its delays counts for it; where there is none, all that no delay and no bound
///   explains counts for a link or the submission that is in use for 60 % of the makespan. The rest is the assignment
///   and order of tasks on the workers of nodes: imbalance within a node as far as its most loaded worker is above the
///   mean of its workers, scheduling for the rest. But list schedules lose up to one task (Graham, SIAM J. Appl.
///   Math. 17(2), 1969): if no more than the longest task of the chain is lost and workers have less than 16 tasks
///   each, there are too few tasks. So it is with a critical path and less than 4 tasks for each worker.
///
/// O(tasks).
[[nodiscard]] Result::Diagnosis diagnose(DiagnosedRun const& run);

}  // namespace factosim
