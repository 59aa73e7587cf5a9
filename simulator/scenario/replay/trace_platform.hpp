#pragma once

#include <vector>

#include "factosim/platform.hpp"
#include "simulator/report/analysis/trace_links.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Returns the nodes that a trace shows, each of a type of its own, with the workers that it names, in their
/// order, and without links. Cores that drive GPUs and messages are added as `options` take them away.
[[nodiscard]] Platform trace_workers(Trace const& trace, RuntimeOptions const& options);

/// Returns the nodes of `trace_workers` with links fitted to the trace's messages and copies. Assumes buses
/// of 12 GB/s with 10 us where the trace shows no copies, and reports that in `findings`; assumes memory
/// without limit.
[[nodiscard]] Platform trace_platform(Trace const& trace, RuntimeOptions const& options,
                                      std::vector<Finding>& findings);

/// Returns the pause before each kernel, [tasks], in seconds, at least 0: from the date at which it could
/// start to its start. It could start after the start of the first task, the end of the kernel before on its
/// worker, its submission, and the end of its predecessors, or the arrival of their data from another node.
[[nodiscard]] std::vector<double> pauses(Trace const& trace);

/// Returns the default options on a trace's own platform: messages take their time in the trace, which
/// includes all waiting. `with_pauses`: pushing, fetching and progress take no time, because the recorded
/// pauses contain it.
[[nodiscard]] RuntimeOptions replay_options(bool with_pauses);

}  // namespace factosim
