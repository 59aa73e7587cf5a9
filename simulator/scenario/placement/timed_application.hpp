#pragma once

#include <span>

#include "distributions/factorization_work.hpp"
#include "distributions/multiphase_lp.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/options.hpp"

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
/// Computes the cost of the factorization's tasks on each node, with the workers that the options leave it;
/// infinity for a kernel without a timing. `transfer` is the time of one unshared tile between two nodes: over
/// the slowest network card, or over the slowest route of a table; `message` is that of the node's card alone.
[[nodiscard]] FactorizationCosts costs_of(TimedApplication const& timed);
/// Returns the groups of equal workers of each node type, with the times of a generation's and a
/// factorization's kernels.
[[nodiscard]] PhaseGroups phase_groups(TimedApplication const& timed);

}  // namespace factosim
