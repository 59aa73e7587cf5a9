#pragma once

#include <string_view>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// The most that one core or GPU can deliver, in flop/s, at its highest clock: for sanity checks of
/// timings. `model` is searched for the names of the table; an unknown model gets a bound that no device
/// passes.
double peak_flops_per_second(std::string_view model, bool is_gpu, Precision precision);

/// Operations of one task on tiles of nb (leading term, LAPACK working note 41); 0 for a kernel that is no
/// floating-point work or is not known.
double nominal_flops(std::string_view kernel, int nb);

}  // namespace factosim
