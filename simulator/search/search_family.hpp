#pragma once

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/search/search_random.hpp"

namespace factosim {

/// A map of the family around 1Dx1D-C+S, which has the default of each number.
struct FamilyMember {
  int nodes = 0;           // the fastest ones, the others own nothing; 0: all
  double column_cost = 1;  // of the partition: above 1, it has fewer columns
  double exponent = 1;     // of the speeds that the square is cut by: above 1, the fast nodes get more
  double borders = 1;      // times CPB: above 1, more nodes join later from the end, and fewer work
  int rounds = 1;          // of shuffling
  bool smaller_tiles = false;
  TieRule tie = TieRule::highest;
};

[[nodiscard]] TileMap family_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                                 FamilyMember const& member);

/// A member with one to three of its numbers changed, by much or by little.
[[nodiscard]] FamilyMember random_neighbour(FamilyMember member, int nodes, SearchRandom& random);

}  // namespace factosim
