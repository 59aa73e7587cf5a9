#pragma once

#include <span>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// Those of the application's kernels that factorize, or multiply; of QR those of the flat tree.
[[nodiscard]] std::vector<Kernel> factorization_kernels(Application const& application,
                                                        ApplicationParameters const& parameters);

/// The kind of each of them, in that order. QR's are those of LU.
[[nodiscard]] std::span<TaskKind const> kinds_of_kernels(Application const& application);

/// What the factorization costs each node of the platform with the workers that the options leave it; a
/// kernel without a timing costs infinity there. `transfer`: one tile over the slower of two nodes' cards, or
/// over the slowest route of a table, alone.
[[nodiscard]] FactorizationCosts factorization_costs(Platform const& platform,
                                                     std::span<KernelModel const> models,
                                                     Application const& application,
                                                     ApplicationParameters const& parameters,
                                                     RuntimeOptions const& options);

/// Of one update task (gemm).
[[nodiscard]] Flops update_flops(Application const& application, ApplicationParameters const& parameters);

[[nodiscard]] Factorization factorization_of(Application const& application);

}  // namespace factosim
