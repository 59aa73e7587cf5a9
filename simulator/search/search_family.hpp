#pragma once

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/search/search_random.hpp"

namespace factosim {

/// Parameters of a map of the family around 1Dx1D-C+S, which has the defaults.
struct FamilyMember {
  int nodes = 0;           // number of the fastest nodes that own tiles; 0: all
  double column_cost = 1;  // of the partition: above 1, fewer columns
  double exponent = 1;     // of the speeds that define the areas: above 1, fast nodes get more
  // factor of CPB: above 1, sections with more nodes begin later from the end, and fewer nodes work
  double borders = 1;
  int rounds = 1;  // rounds of shuffling
  bool smaller_tiles = false;
  TieRule tie = TieRule::highest;
};

[[nodiscard]] TileMap family_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                                 FamilyMember const& member);

/// Returns a copy with one to three parameters changed, by a large or a small step.
[[nodiscard]] FamilyMember random_neighbour(FamilyMember member, int nodes, SearchRandom& random);

}  // namespace factosim
