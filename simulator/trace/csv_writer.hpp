#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes the tasks of a trace as one table for any tool (RFC 4180, a header, times in s in the fewest digits
/// that give them back): task, kernel, node, worker, k, m, n, priority, submit_s, start_s, end_s; what is
/// unknown is empty. Compressed where the name ends in `.gz`. The file appears whole or not at all.
void write_csv(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
