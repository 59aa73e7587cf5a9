#pragma once

#include <span>
#include <string>

#include "models/applications/application.hpp"

namespace factosim {

/// The timings of a node of which only the time of one tile update (gemm, 2 nb^3 operations) on one core is
/// known, in seconds, above 0: every kernel lasts as long as its operations at that rate, whatever the
/// precision. So the model of Beaumont, Boudet, Rastello, Robert, IPDPS 2000 holds for the updates, and
/// panels cost what they count.
[[nodiscard]] KernelModel cycle_time_model(std::string const& machine, Seconds cycle_time,
                                           std::span<Kernel const> kernels,
                                           ApplicationParameters const& parameters);

}  // namespace factosim
