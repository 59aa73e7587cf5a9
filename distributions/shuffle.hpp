#pragma once

#include <optional>
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
  /// Maximum difference of balanced loads, in seconds. Default: 6.3 updates of a tile on the slowest node, which are the
  /// paper's 20 ms on its nodes, so that the map does not depend on the unit of time.
  std::optional<double> threshold = {};
  bool smaller_tiles = false;  // if the first tile is too large for (iii), try the next ones
  // shuffles: the first over the largest section, each further one at the largest remaining spike
  int rounds = 1;
  // whether the further ones balance all iterations, or end at the spike: the paper leaves it open
  bool all_iterations = false;
};

/// Moves tiles from the most to the least loaded node until the loads of a range k1..k2 of iterations are balanced; the S
/// of 1Dx1D-C+S. A node's load is the cost of its tiles in that range; of equally loaded nodes, the one with the most, or
/// least, load in all iterations gives, or receives. Each move takes the
/// right-bottom-most tile (the last one in the lowest row) whose last iteration is in the range. It ends when
/// (i) the difference between the most and the least loaded node is within the threshold, or when the most
/// loaded node (ii) has no such tile left, or (iii) its tile would raise the receiver above the average.
///
/// The first round is over the section with the most work; each further one over iterations 1..k, where the
/// loads summed over 1..k (CABE) differ most between nodes, if by more than the threshold. Returns the moves,
/// in order. Source: ICPADS 2020, section V-B.
std::vector<TileMove> shuffle(TileMap& map, Factorization factorization, FactorizationCosts const& costs,
                              std::vector<Section> const& sections, ShuffleOptions const& options = {});

}  // namespace factosim
