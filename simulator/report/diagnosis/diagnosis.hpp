#pragma once

#include "factosim/result.hpp"
#include "simulator/report/diagnosis/diagnosed_run.hpp"

namespace factosim {

/// Names the constraint whose removal would shorten a run most, or none if no removal saves a tenth of the
/// makespan T. What each removal leaves is estimated:
///
/// - Delays (messages, copies, copies of evicted data, submission): T less their part of the critical chain
///   (`ChainTimes`), and not below the bounds of the kernels alone: the most loaded node D, the longest chain on
///   the owners' workers C, the bound of the problem P.
/// - Load balance between nodes, the critical path: T less what max(D, C, P) loses without D, or without C and
///   the chain in P. The area bound of all workers stays.
/// - What no delay and no bound explains counts for a link or the submission that is in use for 60 % of
///   the makespan, since policies react to it: they leave GPUs whose bus is full, and workers without tasks. It counts
///   for the bus as well if GPUs lack work that the area bound gives them and to copy its data once would
///   take 60 % of the bounds of the kernels (`BusDemand`). Otherwise it is the assignment and order of tasks on the workers of nodes: imbalance
///   within a node as far as its most loaded worker is above the mean of its workers, scheduling for the rest.
///   But list schedules lose up to one task (Graham, SIAM J. Appl. Math. 17(2), 1969): if no more than the longest
///   task of the chain is lost and workers have less than 16 tasks each, there are too few tasks. So it is with a
///   critical path and less than 4 tasks for each worker.
///
/// O(tasks).
[[nodiscard]] Result::Diagnosis diagnose(DiagnosedRun const& run);

}  // namespace factosim
