#pragma once

#include <filesystem>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Reads a Paje trace, of StarPU, SimGrid or this program, its lines in any order of time.
/// In a trace of StarPU tasks are the states that carry a JobId, all others of workers are states; elsewhere
/// tasks are all states of workers but those that StarPU uses for itself ("Idle", ...). Links between nodes
/// are messages, those between memory managers of one node are copies. A trace says nothing of dependencies.
///
/// With jobs in the run already, which a tasks.rec has told, the trace adds the names of their workers,
/// states and copies, and nothing else. Throws InputError. O(events log events) time, 40 bytes an event.
void read_paje(std::filesystem::path const& file, StarpuRun& run);

}  // namespace factosim
