#pragma once

#include "simulator/scenario/scenario.hpp"
#include "simulator/simulation/prepared.hpp"

namespace factosim {

/// A scenario whose application is a trace, worked out. Throws InputError where a task can run on no worker
/// of its node, or where tasks should stay on workers that the platform does not have; InfeasibleError where
/// a GPU cannot hold the data of a task.
[[nodiscard]] PreparedScenario prepare_replay(Scenario const& scenario);

}  // namespace factosim
