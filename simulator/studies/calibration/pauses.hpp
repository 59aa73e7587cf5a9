#pragma once

#include <optional>
#include <vector>

#include "factosim/platform.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Estimates what the runtime system takes on a core between the end of a kernel, or the date at which the
/// next one could start, and its start: a time for each task (`progress`) and one for each operand
/// (`fetch`), by least squares over the pauses of all traces. Long pauses count: where the communication thread
/// shares the core, most of the time between kernels is in few of them. Pushing ready tasks is in it, so `push`
/// is 0. Returns nullopt if the traces do not contain dependencies and the data of tasks,
/// or too few tasks.
[[nodiscard]] std::optional<WorkerCosts> estimate_worker_costs(std::vector<Trace> const& traces);

}  // namespace factosim
