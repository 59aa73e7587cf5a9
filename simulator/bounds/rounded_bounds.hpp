#pragma once

#include <cstdint>

#include "simulator/bounds/bounds.hpp"

namespace factosim {

/// Returns whether the ends of kernels are rounded to ticks whenever others change their parts of a GPU.
[[nodiscard]] bool uses_gpu_parts(Machine const& machine);

/// Subtracts what the rounding of durations or ends of tasks to ticks, and of sums, may have added to bounds: at most a tick
/// for each task, and four roundings of a double.
void subtract_rounding(Bounds& bounds, std::uint64_t tasks, Seconds tick);

}  // namespace factosim
