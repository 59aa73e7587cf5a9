#pragma once

#include <vector>

#include "distributions/kalinov_lastovetsky.hpp"
#include "simulator/scenario/distribution.hpp"

namespace factosim {

/// Keys that several distributions share. All throw InputError.

/// "p" and "q"; without them the most square grid of all nodes.
[[nodiscard]] Grid read_grid(JsonReader const& json, int nodes);
/// "panel": tiles after which the map repeats; by default the whole matrix.
[[nodiscard]] Panel read_panel(JsonReader const& json, int nt);
/// An array of one positive number a node.
[[nodiscard]] std::vector<double> read_per_node(JsonReader const& json, int nodes);
/// "speeds": what shares the matrix is cut into. Default: the rates of the nodes on the update (gemm).
[[nodiscard]] std::vector<double> read_speeds(JsonReader const& json, DistributionRequest const& request);
/// What the nodes really cost: the kernels' timings, unless "rates" (flop/s of each node on the update) or
/// "transfer_s" say otherwise.
[[nodiscard]] FactorizationCosts read_costs(JsonReader const& json, DistributionRequest const& request);

}  // namespace factosim
