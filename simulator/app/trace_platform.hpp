#pragma once

#include <optional>

#include "platforms/platform.hpp"
#include "simulator/app/trace_links.hpp"
#include "simulator/runtime/options.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// The cluster that a trace shows: its nodes with the workers that it names, in their order, each of a type
/// of its own; links as the messages and copies show. What it does not show is assumed, and told in
/// `findings`: buses of 12 GB/s with 10 us, memory without limit. Cores that drive GPUs and messages are
/// added as `options` take them away.
[[nodiscard]] Platform trace_platform(Trace const& trace, RuntimeOptions const& options,
                                      std::vector<Finding>& findings);

/// What a core does between two tasks: the mean pause after a task where the next one had been ready, by what
/// it waits for and by its data, when that task ended. nullopt where no task follows another so.
[[nodiscard]] std::optional<Seconds> mean_pause(Trace const& trace);

/// Options under which such a platform does what the trace shows: the time of a message holds all that it
/// waits for, and a pause between tasks all that the runtime does on a core.
void replay_overheads(Trace const& trace, RuntimeOptions& options);

}  // namespace factosim
