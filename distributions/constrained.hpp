#pragma once

#include <cstdint>
#include <vector>

#include "distributions/factorization_work.hpp"
#include "distributions/one_dimensional.hpp"
#include "distributions/square_partition.hpp"
#include "factosim/id.hpp"
#include "factosim/tile_map.hpp"

namespace factosim {

/// A partition of the unit square with all borders extended across it: its rows and columns are the virtual
/// processors to which the rows and columns of a matrix are distributed. Source: Beaumont, Legrand, Rastello,
/// Robert, "Static LU decomposition on heterogeneous platforms", IJHPCA 2001.
struct VirtualGrid {
  std::vector<double> heights;  // [rows]
  std::vector<double> widths;   // [columns]
  std::vector<NodeId> node;     // [rows][columns]

  [[nodiscard]] NodeId at(std::size_t row, std::size_t column) const {
    return node[row * widths.size() + column];
  }
};

[[nodiscard]] VirtualGrid virtual_grid(SquarePartition const& partition);

/// 1Dx1D: the one-dimensional algorithm distributes the rows of the matrix to the virtual rows of the
/// partition in proportion to their heights, and the columns to the virtual columns in proportion to their
/// widths; a tile belongs to the node at the crossing of its virtual row and column. Asymptotically optimal
/// for every iteration of LU simultaneously, for any partition. Source: Beaumont, Legrand, Rastello, Robert,
/// IJHPCA 2001; ICPADS 2020, section II-B.
[[nodiscard]] TileMap one_by_one(int mt, int nt, SquarePartition const& partition,
                                 TieRule tie = TieRule::highest);

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
