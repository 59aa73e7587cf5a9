#pragma once

#include <string>
#include <vector>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// Returns lines that tell which applications have all their kernels among the measured timings of a machine, in which
/// precision and for which sizes of tiles, and the first kernel that each of the others lacks.
[[nodiscard]] std::vector<std::string> runnable_applications(KernelModel const& model);

}  // namespace factosim
