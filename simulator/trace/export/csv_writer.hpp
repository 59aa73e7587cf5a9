#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes the tasks that ran as one table for any tool (RFC 4180, a header, dates in s in the fewest digits
/// that give them back): id (from 1), task (its kernel), node, worker, submit_s, start_s, end_s, depends_on
/// (ids apart by blanks), priority, iteration, m, n, footprint (base 16), gflop; what is unknown is empty.
/// Compressed where the name ends in `.gz`. The file appears whole or not at all.
void write_csv(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
