#pragma once

#include <filesystem>
#include <optional>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Returns the result.json of a simulated run whose folder, result.json or trace `path` is; else nothing.
[[nodiscard]] std::optional<std::filesystem::path> result_of(std::filesystem::path const& path);

/// Reads the trace of a run, simulated or real. Returns nothing if a simulated run kept no trace. Throws InputError if there is no run.
[[nodiscard]] std::optional<Trace> trace_of_run(std::filesystem::path const& path);

}  // namespace factosim
