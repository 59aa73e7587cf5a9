#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Reads a Paje trace of StarPU, SimGrid or this program, with its lines in any order of time. In traces of
/// StarPU, tasks are the states with a JobId; in others, all states of workers except those of the runtime
/// system ("Idle", ...). Links between nodes are messages, links between memory managers of one node are
/// copies. A Paje trace contains no dependencies.
///
/// If the run contains tasks already (from tasks.rec), the trace adds only the names of their workers, states
/// and copies. Throws InputError. O(events log events) time, 40 bytes per event.
void read_paje(std::filesystem::path const& file, StarpuRun& run);

}  // namespace factosim
