#pragma once

#include <filesystem>
#include <optional>

#include "simulator/analysis/difference_parts.hpp"

namespace factosim {

/// Compares the options that two results record. Returns nothing if a result has none, or if an option that
/// can change anything differs, such as the size of the matrix.
[[nodiscard]] std::optional<KnownDifferences> known_differences(std::filesystem::path const& result_a,
                                                                std::filesystem::path const& result_b);

}  // namespace factosim
