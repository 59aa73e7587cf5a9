#pragma once

#include <span>

#include "distributions/multiphase_lp.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "models/applications/application.hpp"
#include "simulator/plan/options.hpp"
#include "simulator/scenario/distribution.hpp"

namespace factosim {

/// Distributions of an application that generates its tiles before it factorizes.

/// The groups of alike workers of each node type of the platform, with the workers that the options leave.
[[nodiscard]] PhaseGroups phase_groups(Platform const& platform, std::span<KernelModel const> models,
                                       Application const& application,
                                       ApplicationParameters const& parameters,
                                       RuntimeOptions const& options);

/// "lp-multiphase": the loads of the linear program (12) to (18), 1D-1D of the factorization's, Algorithm 2
/// to the generation's. Keys: "factorization" ("all", "gpu-nodes"), "tie".
[[nodiscard]] Distribution from_linear_program(JsonReader const& json, DistributionRequest const& request);
/// "redistribute": Algorithm 2 from the map "from" ([nt][nt] node numbers) to "target" tiles per node.
[[nodiscard]] Distribution from_redistribution(JsonReader const& json, DistributionRequest const& request);
/// The key "generation" of any distribution: another one for generation, or {"type": "redistribute",
/// "target"} for Algorithm 2 from the map at hand.
void read_generation(JsonReader const& json, DistributionRequest const& request, Distribution& distribution);

void add_multiphase_json(Distribution const& distribution, nlohmann::ordered_json& json);

}  // namespace factosim
