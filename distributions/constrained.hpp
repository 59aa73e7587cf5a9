#pragma once

#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// A range of iterations executed by the same nodes. Iterations are numbered from 1, as in the paper, and run
/// from last_k to first_k.
struct Section {
  int first_k = 0;                   // latest iteration
  int last_k = 0;                    // earliest iteration, <= first_k
  std::vector<std::uint32_t> nodes;  // ascending
};

struct ConstrainedMap {
  TileMap map;
  std::vector<Section> sections;  // from the last iterations to the first
};

/// 1Dx1D-C: distributes rows and columns as 1Dx1D does, from the last to the first, but restricted to some
/// virtual rows and columns. It starts with the right-most column and the highest row of the fastest node in
/// it. When ABE*(k) > CPB(k) before iteration k, a new section begins, which adds the next column to the
/// left. The second section adds only the rows where the node of the new column is at least as fast as the
/// slowest node of the right-most column (if there is none, as fast as the fastest node of the new column);
/// all later sections use all rows. Rows and columns keep their load from section to section.
///
///   ABE*(k) = (work on A[k..N]) / (total rate of the active nodes), where the work of LU is 1 diagonal task,
///             2 (M - 1) panel tasks and (M - 1)^2 updates, M = N - k + 1;
///   CPB(k)  = diagonal task + panel task + update task, each on the fastest worker of the active node that
///             is slowest for it, + two transfers if several nodes are active.
///
/// `partition` must be a column partition with the fastest nodes to the right. Source: ICPADS 2020, section
/// V-A; details that the paper leaves open are chosen to reproduce its printed sections.
[[nodiscard]] ConstrainedMap constrained(int nt, Factorization factorization,
                                         SquarePartition const& partition, FactorizationCosts const& costs,
                                         TieRule tie = TieRule::highest);

/// ABE*(k) and CPB(k) as defined above, in seconds, for iteration k = 1..nt and the given nodes.
[[nodiscard]] double ideal_iteration_time(int nt, int k, Factorization factorization,
                                          FactorizationCosts const& costs,
                                          std::vector<std::uint32_t> const& nodes);
[[nodiscard]] double iteration_critical_path(Factorization factorization, FactorizationCosts const& costs,
                                             std::vector<std::uint32_t> const& nodes);

}  // namespace factosim
