#pragma once

#include <span>
#include <string>

#include "models/applications/application.hpp"

namespace factosim {

/// Returns the timings of a node for which only the time of one tile update (gemm, 2 nb^3 operations) on one
/// core is known. Every kernel runs at the rate of the update, in any precision: updates then follow the
/// model of Beaumont, Boudet, Rastello, Robert, IPDPS 2000, and panels take time in proportion to their
/// operations. `cycle_time` must be above 0.
[[nodiscard]] KernelModel cycle_time_model(std::string const& machine, Seconds cycle_time,
                                           std::span<Kernel const> kernels,
                                           ApplicationParameters const& parameters);

}  // namespace factosim
