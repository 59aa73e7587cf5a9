#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

/// The keys of "distribution".
[[nodiscard]] ObjectKeys const& distribution_table();

/// Reads a scenario's "distribution"; without one: block-cyclic on the most square grid. Throws InputError.
[[nodiscard]] DistributionDescription read_distribution(std::optional<JsonReader> const& json,
                                                        DistributionContext const& context);
[[nodiscard]] std::vector<std::string> distribution_names();
/// Returns all distributions, with one line about each.
[[nodiscard]] std::vector<DescribedName> described_distributions();

/// Returns the number of nodes of a distribution without a platform: the length of "target", of "cycle_times"
/// (p q with {"random": seed}) or of "speeds". Throws InputError if there is none of them.
[[nodiscard]] int count_nodes(JsonReader const& distribution);

}  // namespace factosim
