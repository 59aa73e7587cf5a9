#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "simulator/core/finding.hpp"

namespace factosim {

struct StarpuTimings {
  KernelModel model;
  std::vector<Finding> findings;
};

/// The kernel timings of a platform_file.rec, which `starpu_perfmodel_recdump` and StarVZ write: records with
/// Model, Architecture, Footprint, Size (bytes), Mean and Stddev (us) and Samples. Architectures
/// "cpu0_impl0", "cuda1_impl0" (or without implementation) are workers; of several implementations the
/// fastest counts, as in StarPU. What is no kernel that we know, or not on square tiles, is left out with a
/// finding. Throws InputError at the line that is wrong, or where no timing is left.
[[nodiscard]] StarpuTimings read_starpu_timings(std::filesystem::path const& file, std::string const& machine,
                                                std::string const& provenance);

}  // namespace factosim
