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

/// Adds estimates to a model for kernels that formats of tiles need and that it has no timing of: conversions by the bytes
/// that they read and write, kernels on tiles of low rank by their operations, and potrf and trsm in a precision that no
/// library has them in as those in single precision, with a conversion of the tile before and after. Says so in the
/// provenance. `parameters` have formats.
void add_format_timings(KernelModel& model, std::string const& application, std::span<Kernel const> kernels,
                        ApplicationParameters const& parameters);

}  // namespace factosim
