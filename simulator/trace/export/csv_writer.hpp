#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Writes the executed tasks as one table (RFC 4180 with a header; dates in s with the fewest digits that
/// reproduce them): id (from 1), task (its kernel), node, worker, submit_s, start_s, end_s, depends_on (ids
/// separated by spaces), priority, iteration, m, n, footprint (hexadecimal), gflop; unknown values are empty.
/// Compressed if the name ends in `.gz`. The file appears complete or not at all.
void write_csv(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
