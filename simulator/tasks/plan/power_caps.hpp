#pragma once

#include <string>

#include "factosim/platform.hpp"

namespace factosim {

/// A kernel on a GPU under a power cap.
struct CappedKernel {
  double slowdown = 1;    // of its duration without the cap
  double busy_power = 0;  // watts above idle
};

/// Returns what a cap does to a kernel. A kernel whose GPU draws no more than the cap is as it was. Of the others, each draws
/// the cap; the clock at which it does is taken to be that at which the kernels of `gpu_speeds` draw as much in proportion
/// to their power without a cap.
[[nodiscard]] CappedKernel under_cap(PowerSpec const& power, std::string const& kernel, double cap);

}  // namespace factosim
