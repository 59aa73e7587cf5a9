#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Returns whether a file, plain or gzipped, is JSON: an object or an array.
[[nodiscard]] bool is_json_file(std::filesystem::path const& file);

/// Reads Chrome trace events (Perfetto), as `export` and task runtimes write them: an object with "traceEvents", or an
/// array whose "]" may be missing. A process is a node, a thread a worker; one with gpu, cuda or hip in its name is a
/// GPU. Tasks are the complete slices (X, or B and E) of the category "task"; without that category all slices that are
/// not inside of another one. Flows (s, t, f) are dependencies between the tasks at their ends. Of `args`, "priority",
/// "k", "m", "n" and "submitted_us" are read. What is ignored is a finding. Times are in microseconds. Throws
/// InputError. O(events log events).
[[nodiscard]] StarpuRun read_chrome_run(std::filesystem::path const& file);

}  // namespace factosim
