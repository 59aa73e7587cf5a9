#pragma once

#include <span>

#include "distributions/factorization_work.hpp"
#include "distributions/multiphase_lp.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/plan/machine.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// An application on a cluster whose kernels' timings are known.
struct TimedApplication {
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  Application const& application;
  ApplicationParameters const& parameters;
  RuntimeOptions const& runtime;
};

/// Returns the cluster's workers with the durations of these kernels.
[[nodiscard]] Machine machine_of(TimedApplication const& timed, std::span<Kernel const> kernels);
/// Returns the costs of the application's factorization on the nodes.
[[nodiscard]] FactorizationCosts costs_of(TimedApplication const& timed);
/// Returns the groups of equal workers of each node type, with the times of a generation's and a factorization's
/// kernels.
[[nodiscard]] PhaseGroups phase_groups(TimedApplication const& timed);

}  // namespace factosim
