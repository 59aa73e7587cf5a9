#pragma once

#include <filesystem>

#include "simulator/traces/import/starpu_run.hpp"

namespace factosim {

/// Reads a table with one task per row and columns in any order: `task` (its kernel; or kernel, name, value,
/// taskType), `worker` (or resource, ResourceId), `start`, `end` (or `duration`); optional: `node`, `id` (or
/// JobId), `depends_on` (ids separated by spaces), `submit`, `priority`, `footprint` (hexadecimal),
/// `iteration`, `gflop`. Dates are in seconds unless the column name has another unit: start_ms, start_us. A
/// worker may be prefixed with its node (1_cuda0); a worker with gpu, cuda or hip in its name is a GPU. Of a
/// pmtool table (taskType, in microseconds) with several schedules the first is read. Throws InputError.
[[nodiscard]] StarpuRun read_csv_run(std::filesystem::path const& file);

}  // namespace factosim
