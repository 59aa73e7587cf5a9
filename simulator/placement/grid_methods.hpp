#pragma once

#include <span>

#include "distributions/grid_arrangement.hpp"

namespace factosim {

/// A method that arranges nodes of unequal speed on a grid.
struct GridMethod {
  char const* name;
  ArrangedGrid (*arrange)(std::span<double const>, Grid);
  int max_places;  // maximum number of places for which it takes acceptable time
};

/// Returns all methods; the first is the default.
[[nodiscard]] std::span<GridMethod const> grid_methods();

}  // namespace factosim
