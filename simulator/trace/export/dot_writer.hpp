#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Maximum number of tasks; larger graphs are unreadable.
constexpr std::size_t max_dot_tasks = 5000;

/// Writes the task graph for Graphviz: a box per task with its kernel and indices, filled by kernel, and an
/// edge per dependency; edges between cluster nodes are dashed. Throws InputError if the trace has no
/// dependencies or more than `max_dot_tasks` tasks.
void write_dot(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
