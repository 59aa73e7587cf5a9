#pragma once

#include <filesystem>

#include "models/starpu_perfmodel.hpp"

namespace factosim {

/// Reads the kernel timings of a platform_file.rec, written by `starpu_perfmodel_recdump` and StarVZ: records
/// with Model, Architecture ("cpu0_impl0", "cuda1_impl0", or without implementation), Footprint, Size (bytes), Mean and
/// Stddev (us) and Samples. Throws InputError at a malformed line, and as `read_starpu_models` does.
[[nodiscard]] StarpuImport read_starpu_timings(std::filesystem::path const& file,
                                               StarpuImportOptions const& options);

}  // namespace factosim
