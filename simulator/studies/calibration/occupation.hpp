#pragma once

#include <cstdint>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns, for each task, how many cores of its node run tasks when it starts, its own included, as the
/// simulator counts them for a slow-down: cores that drive GPUs do not count. 0 for tasks that no worker ran.
/// `by_start`: all tasks in order of start; of tasks that start at one date the first does not see the
/// others.
[[nodiscard]] std::vector<int> busy_cores_at_start(Trace const& trace,
                                                   std::vector<std::uint32_t> const& by_start);

}  // namespace factosim
