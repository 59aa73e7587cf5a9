#pragma once

#include <span>
#include <string>

#include "models/applications/application.hpp"

namespace factosim {

/// Adds estimates to a model for kernels that formats of tiles need and that it has no timing of: conversions by the bytes
/// that they read and write, kernels on tiles of low rank by their operations, and potrf and trsm in a precision that no
/// library has them in as those in single precision, with a conversion of the tile before and after. Says so in the
/// provenance. `parameters` have formats.
void add_format_timings(KernelModel& model, std::string const& application, std::span<Kernel const> kernels,
                        ApplicationParameters const& parameters);

}  // namespace factosim
