#pragma once

#include <filesystem>

#include "simulator/report/analysis/run_comparison.hpp"

namespace factosim {

/// Proves by simulation what the keys do in which the scenarios of two results differ: simulates the scenario of the first with each
/// combination of them as in the second, and divides the difference of the makespans among them (Shapley value). Throws
/// InputError if a result does not name its scenario, which must be what it was, if more than six keys differ, or if a run cannot
/// be repeated. `jobs`: simulations at once; 0: as many as cores.
[[nodiscard]] DifferenceProof prove_difference(std::filesystem::path const& result_a,
                                               std::filesystem::path const& result_b, int jobs = 0);

}  // namespace factosim
