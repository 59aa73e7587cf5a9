#pragma once

#include <string_view>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// Peak performance of one core or GPU, in flop/s at its highest clock, for plausibility checks of timings.
/// `model` is searched for the names of the table; an unknown model gets an upper bound for all devices. A device without
/// arithmetic of that precision has its peak in single precision.
double peak_flops_per_second(std::string_view model, bool is_gpu, Precision precision);

/// Operations of one task on tiles of nb (leading term, LAPACK working note 41); 0 for an unknown kernel or
/// one without floating-point operations.
double nominal_flops(std::string_view kernel, int nb);

}  // namespace factosim
