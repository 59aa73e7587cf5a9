#pragma once

#include <span>

#include "distributions/factorization_work.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// Computes the cost of the factorization's tasks on each node of the platform, with the workers that the
/// options leave it; infinity for a kernel without a timing. `transfer` is the time of one unshared tile
/// between two nodes: over the slowest network card, or over the slowest route of a table.
[[nodiscard]] FactorizationCosts factorization_costs(Platform const& platform,
                                                     std::span<KernelModel const> models,
                                                     Application const& application,
                                                     ApplicationParameters const& parameters,
                                                     RuntimeOptions const& options);

}  // namespace factosim
