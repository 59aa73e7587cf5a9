#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Returns the variants of a distribution that advise chooses from, as a scenario's "distribution": for block-cyclic, every grid of
/// exactly these nodes with p <= q; for layers, two and three of 1Dx1D-C; otherwise the distribution itself.
[[nodiscard]] std::vector<nlohmann::json> distribution_choices(std::string const& name, int nodes);

/// Returns "block-cyclic 2 x 4", "2 layers of 1d1d-c" or the name of the distribution.
[[nodiscard]] std::string distribution_text(nlohmann::json const& choice);

}  // namespace factosim
