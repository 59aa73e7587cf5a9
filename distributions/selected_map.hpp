#pragma once

#include <functional>
#include <optional>

#include "distributions/map_neighbours.hpp"
#include "factosim/quantity.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Returns the makespan of the factorization on a map of any number of tiles; nothing if its tiles do not fit into the
/// memory of a node. Whoever sees the machine provides it: the simulation.
using Judge = std::function<std::optional<Seconds>(TileMap const&)>;

/// Estimates the makespan by a closed form, in seconds: the largest sum over j of the work and the messages of the first j
/// iterations on the busiest node and the chain of panels after them. O(nt^2 owners of a line + nt nodes).
[[nodiscard]] double estimated_makespan(TileMap const& map, Factorization factorization,
                                        FactorizationCosts const& costs);

struct SelectedMap {
  TileMap map;
  std::optional<FamilyMember> member{};  // whose map it is; none: a regular map
  int simulations = 0;                   // calls of the judge
};

/// 1Dx1D-L: the best map that `judge` finds among members of the family around 1Dx1D-C+S and regular maps.
///  1. Members with up to about 20 numbers of the fastest nodes, each with several numbers of columns, are ranked by
///     `estimated_makespan`; the first 20 also with other starts of their sections and with shuffles.
///  2. 1Dx1D-C+S, 1Dx1D-C, 1Dx1D and the regular maps (also a heterogeneous grid, up to 256 nodes) are judged, then
///     members in the order of their estimates, until half of the simulations are spent; every fourth is the first of a
///     number of nodes of which none was judged.
///  3. Parameters of the best member change at random, with a fixed seed.
/// Matrices are judged on fewer tiles if 24 simulations of all tiles had more than 2.5 million tasks: what a map takes is
/// then its estimate times that of the simulation over the estimate on fewer tiles.
/// `simulations`: at most so many; by default as many as have 2.5 million tasks, but 24 to 100. 0, or no judge: the
/// smallest estimate decides.
[[nodiscard]] SelectedMap selected_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                                       Judge const& judge, std::optional<int> simulations = {});

}  // namespace factosim
