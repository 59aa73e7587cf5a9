#pragma once

#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// Iterations that the same nodes work on. Iterations are numbered from 1, as in the paper; the last ones
/// come first.
struct Section {
  int first_k = 0;                   // the latest iteration
  int last_k = 0;                    // the earliest one, <= first_k
  std::vector<std::uint32_t> nodes;  // in increasing order
};

struct ConstrainedMap {
  TileMap map;
  std::vector<Section> sections;  // from the end of the factorization to its beginning
};

/// 1Dx1D-C: rows and columns are shared out as in 1Dx1D, from the last to the first, but only among some
/// virtual rows and columns: at first one column, the right-most, and the highest row of its fastest node.
/// Before iteration k, while ABE*(k) > CPB(k), a section begins, with one column more, to the left. The
/// second section takes only the rows where the new column's node is one of the fastest too (no slower than
/// the slowest of the right-most column; if none is, the new column's fastest); all later ones take all rows.
/// What rows and columns have is kept from section to section.
///
///   ABE*(k): the work on A[k..N], all of whose M x M tiles count as updated (M = N - k + 1), with M tiles of
///   each
///            panel and one diagonal tile, over the rates of the active nodes together;
///   CPB(k):  a diagonal, a panel and an update task, each on the fastest worker of the active node that is
///   slowest for
///            it, and two transfers when several nodes are active.
///
/// The partition must be one of columns, the fastest nodes to the right. Source: ICPADS 2020, section V-A;
/// the details it leaves open are those that give its printed sections.
[[nodiscard]] ConstrainedMap constrained(int nt, Factorization factorization,
                                         SquarePartition const& partition, FactorizationCosts const& costs,
                                         TieRule tie = TieRule::highest);

/// ABE*(k) and CPB(k) as above, in seconds, for iteration k = 1..nt and those nodes.
[[nodiscard]] double ideal_iteration_time(int nt, int k, Factorization factorization,
                                          FactorizationCosts const& costs,
                                          std::vector<std::uint32_t> const& nodes);
[[nodiscard]] double iteration_critical_path(Factorization factorization, FactorizationCosts const& costs,
                                             std::vector<std::uint32_t> const& nodes);

}  // namespace factosim
