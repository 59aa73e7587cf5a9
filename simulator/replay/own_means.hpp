#pragma once

#include <filesystem>
#include <optional>

#include "simulator/analysis/run_comparison.hpp"

namespace factosim {

/// Simulates the scenario of one run once more, with the kernel means that the other run has in place of its
/// own and without noise, and adds what that gives to the comparison; or why it cannot be done. The second
/// run is taken where it was simulated (`result_b`), else the first; its result.json names the scenario,
/// which must give the options that were in force. At most one simulation over SimGrid in a process.
void add_own_means(RunComparison& comparison, std::optional<std::filesystem::path> const& result_a,
                   std::optional<std::filesystem::path> const& result_b);

}  // namespace factosim
