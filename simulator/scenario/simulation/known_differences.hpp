#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

#include "simulator/report/analysis/difference_parts.hpp"
#include "simulator/report/analysis/run_comparison.hpp"

namespace factosim {

/// Compares the options that two result.json record. Returns nothing if a result has none or damaged ones, or if an option that
/// can change anything differs, such as the size of the matrix.
[[nodiscard]] std::optional<KnownDifferences> known_differences(nlohmann::json const& result_a,
                                                                nlohmann::json const& result_b);

/// Simulates the scenario of one run again, with its kernel means scaled to those of the other run (changed by
/// a millionth where they are equal, which decides ties), and
/// adds the makespan, or the reason why it cannot, to the comparison. Takes the second run if it was
/// simulated (`result_b`), else the first. Its result.json names the scenario, which must have the same
/// effective options. At most one simulation over SimGrid in a process.
void replay_with_means(RunComparison& comparison, std::optional<std::filesystem::path> const& result_a,
                       std::optional<std::filesystem::path> const& result_b);

/// Proves by simulation what the keys do in which the scenarios of two results differ: simulates the scenario of the first with each
/// combination of them as in the second, and divides the difference of the makespans among them (Shapley value). Throws
/// InputError if a result does not name its scenario, which must be what it was, if more than six keys differ, or if a run cannot
/// be repeated. `jobs`: simulations at once; 0: as many as cores.
[[nodiscard]] DifferenceProof prove_difference(std::filesystem::path const& result_a,
                                               std::filesystem::path const& result_b, int jobs = 0);

}  // namespace factosim
