#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// More tasks than any drawing of a graph shows.
constexpr std::size_t max_dot_tasks = 5000;

/// Writes the task graph for Graphviz: a box per task with its kernel and indices, filled by kernel, and an
/// edge per dependency; edges between nodes of the cluster are dashed. Throws InputError where the trace
/// knows no dependencies or has more than `max_dot_tasks`.
void write_dot(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
