#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "models/timing_checks.hpp"
#include "simulator/base/core/finding.hpp"

namespace factosim {

struct StarpuTimings {
  KernelModel model;
  std::vector<Finding> findings;
};

/// Reads the kernel timings of a platform_file.rec, written by `starpu_perfmodel_recdump` and StarVZ: records
/// with Model, Architecture, Footprint, Size (bytes), Mean and Stddev (us) and Samples. Architectures
/// "cpu0_impl0", "cuda1_impl0" (or without implementation) are workers; of several implementations the
/// fastest counts, as in StarPU. Unknown kernels and tasks on non-square tiles are left out with a finding; the
/// lasting findings are also in the model. Throws InputError at a malformed line, if no timing remains, or at an
/// implausible timing that is to be refused.
[[nodiscard]] StarpuTimings read_starpu_timings(std::filesystem::path const& file, std::string const& machine,
                                                std::string const& provenance,
                                                ImplausibleTiming implausible = ImplausibleTiming::refuse);

}  // namespace factosim
