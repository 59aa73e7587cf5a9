#pragma once

#include <vector>

#include "factosim/platform.hpp"
#include "simulator/analysis/trace_links.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The cluster that a trace shows: its nodes with the workers that it names, in their order, each of a type
/// of its own; links as the messages and copies show. What it does not show is assumed, and told in
/// `findings`: buses of 12 GB/s with 10 us, memory without limit. Cores that drive GPUs and messages are
/// added as `options` take them away.
[[nodiscard]] Platform trace_platform(Trace const& trace, RuntimeOptions const& options,
                                      std::vector<Finding>& findings);

/// [tasks] how long after it could each kernel started, in seconds, at least 0: after
/// the first task started, its worker had ended
/// the kernel before, the task was submitted, and what it waits for had ended, or come from another node.
[[nodiscard]] std::vector<double> pauses(Trace const& trace);

/// Options under which messages over such a platform take what they took in the trace, all that they wait for
/// included.
void replay_messages(RuntimeOptions& options);
/// Options under which the runtime costs nothing but the pauses of the trace.
void replay_pauses(RuntimeOptions& options);

}  // namespace factosim
