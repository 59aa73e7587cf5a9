#pragma once

#include <functional>
#include <span>
#include <vector>

#include "simulator/runtime/node/noise.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// Simulates the plan with each noise in a process of its own, since SimGrid keeps static state, and returns the makespans
/// in that order. SimGrid must not have been used in this process before. `jobs`: simulations at once, if memory allows; 0:
/// as many as cores. Calls `done` after each.
[[nodiscard]] std::vector<Seconds> simulate_in_children(TaskPlan const& plan,
                                                        std::span<NoiseOptions const> noises, int jobs,
                                                        std::function<void()> const& done = {});

}  // namespace factosim
