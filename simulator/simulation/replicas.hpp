#pragma once

#include <functional>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/core/sample.hpp"
#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Simulates the plan with each of the `count` - 1 seeds that follow its scenario's and returns the
/// makespans; `simulate` runs the first seed. Each runs in a child process, one after the other, since
/// SimGrid keeps static state: SimGrid must not have been used in this process before. Calls `replica_done`
/// after each.
std::vector<Seconds> simulate_further_replicas(TaskPlan const& plan, int count,
                                               std::function<void()> const& replica_done);

/// Computes the statistics of all replicas; `further` as returned by `simulate_further_replicas`. `interval`:
/// the probability that the prediction intervals hold one real run. With calibrated noise they include the
/// error of the calibration.
Replicas summarize_replicas(TaskPlan const& plan, Seconds first, std::vector<Seconds> const& further,
                            double interval);

/// Returns the deviation of runs of the machine in use that varies most, as its kernel file knows it; 0
/// without one.
[[nodiscard]] RunDeviation calibrated_run_deviation(ClusterOptions const& cluster);

/// Returns false if no seed changes the result.
bool depends_on_seed(TaskPlan const& plan);

}  // namespace factosim
