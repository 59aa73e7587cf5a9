#pragma once

#include <filesystem>

#include "simulator/trace/import/starpu_run.hpp"

namespace factosim {

/// Reads a table of tasks, one a row, columns in any order: `task` (its kernel; or kernel, name, value,
/// taskType), `worker` (or resource, ResourceId), `start`, `end` (or `duration`); and, where there are such,
/// `node`, `id` (or JobId), `depends_on` (ids apart by blanks), `submit`, `priority`, `footprint` (base 16),
/// `iteration`, `gflop`. Dates are seconds, or what the header says: start_ms, start_us. A worker may carry
/// its node before it (1_cuda0); one with gpu, cuda or hip in its name is a GPU.
/// A table of pmtool (taskType, in microseconds) with several schedules: the first one. Throws InputError.
[[nodiscard]] StarpuRun read_csv_run(std::filesystem::path const& file);

}  // namespace factosim
