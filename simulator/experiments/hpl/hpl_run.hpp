#pragma once

#include "simulator/base/core/time_grid.hpp"
#include "simulator/experiments/hpl/hpl_outcome.hpp"
#include "simulator/experiments/hpl/hpl_system.hpp"
#include "simulator/runtime/engine/topology.hpp"

namespace factosim {

/// Simulates every message of a factorization on the network. A message starts when both sides are ready for it
/// (rendezvous) and blocks them until it ends. Messages between processes of a node take their latency and bandwidth
/// and share nothing. At most one simulation over SimGrid in a process.
[[nodiscard]] HplOutcome simulate_hpl_messages(HplSystem const& system, Topology const& topology,
                                               std::unique_ptr<Network> network, TimeGrid const& grid);

/// Returns how many messages that simulation has.
[[nodiscard]] double count_hpl_messages(HplProblem const& problem);

}  // namespace factosim
