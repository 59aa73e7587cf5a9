#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Random numbers that do not depend on the standard library.
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : generator_(seed) {}

  /// 0 .. count - 1
  int below(int count) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(count)); }
  /// -1 .. 1
  double around_zero() { return std::ldexp(static_cast<double>(generator_() >> 11), -52) - 1; }

 private:
  std::mt19937_64 generator_;
};

/// Changes the owners of some tiles of a square map by one of four moves, equally likely:
///   one tile goes to a random node;
///   a segment of a row or column gets the owners of another row or column there;
///   a small square gets the owners of tiles beside, above or below it;
///   a row and the column of the same number get the owners of another row and column.
/// The map may remain unchanged.
void move_randomly(TileMap& map, int nodes, SearchRandom& random);

/// Returns numbers of the fastest nodes that are worth trying: all, halves and quarters of all and so on, and whole kinds of
/// nodes. `times`: [nodes] of an update.
[[nodiscard]] std::set<std::size_t> counts_of_fastest(std::span<double const> times);

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
