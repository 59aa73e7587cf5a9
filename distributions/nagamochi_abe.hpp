#pragma once

#include <span>

#include "distributions/square_partition.hpp"

namespace factosim {

/// Recursive dissection of the unit square: the nodes, fastest first, are split into the shortest prefix with
/// at least a third of their total speed and the rest; the rectangle is cut in proportion across its longer
/// side; both parts are dissected in the same way. Costs at most 5/4 of the optimal partition. A node of
/// speed 0 gets an empty rectangle. O(P^2) in the worst case (each prefix is a single node), O(P log P) for
/// equal speeds.
///
/// Source: Nagamochi, Abe, Discrete Applied Mathematics 155(4), 2007.
[[nodiscard]] SquarePartition nagamochi_abe(std::span<double const> speeds);

}  // namespace factosim
