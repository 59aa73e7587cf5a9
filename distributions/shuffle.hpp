#pragma once

#include <cstdint>
#include <vector>

#include "distributions/constrained.hpp"
#include "distributions/factorization_work.hpp"
#include "factosim/id.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

struct TileMove {
  int m = 0, n = 0;
  NodeId from, to;
};

struct ShuffleOptions {
  double threshold = 0.02;     // seconds: loads this near are balanced
  bool smaller_tiles = false;  // where the first tile is too large for (iii), try the next ones
  int rounds = 1;  // shuffles: the first over the largest section, each further one at what spike is left
};

/// Moves tiles from the most to the least loaded node until the loads of some iterations are balanced; the S
/// of 1Dx1D-C+S. A node's load is what its tiles cost it in those iterations, k1..k2. Each move takes the
/// right-bottom-most tile (the last one in the lowest row) among those whose last iteration is one of them.
/// It ends when (i) the most and the least loaded node differ by less than the threshold, or when the most
/// loaded one (ii) has no tile left in these iterations, or (iii) one that would carry the receiver beyond
/// the average.
///
/// The first round is over the section with the most work; each further one is over iterations 1..k, where
/// the loads summed over 1..k (CABE) differ most between nodes, if by more than the threshold. Returns the
/// moves, in order. Source: ICPADS 2020, section V-B.
std::vector<TileMove> shuffle(TileMap& map, Factorization factorization, FactorizationCosts const& costs,
                              std::vector<Section> const& sections, ShuffleOptions const& options = {});

}  // namespace factosim
