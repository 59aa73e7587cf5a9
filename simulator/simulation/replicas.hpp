#pragma once

#include <functional>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/simulation/task_plan.hpp"

namespace factosim {

/// Makespans of a scenario with the seeds that follow its own: `count` - 1 of them, the first one is left to
/// `simulate`. Each is simulated in a process of its own, one after the other, since SimGrid keeps static
/// state: nothing of SimGrid may run in this process before. `replica_done` is called after each.
std::vector<Seconds> simulate_further_replicas(TaskPlan const& plan, int count,
                                               std::function<void()> const& replica_done);

/// What the replicas tell together; `further` as returned by `simulate_further_replicas`.
Replicas summarize_replicas(TaskPlan const& plan, Seconds first, std::vector<Seconds> const& further);

/// Whether another seed may change anything.
bool depends_on_seed(TaskPlan const& plan);

}  // namespace factosim
