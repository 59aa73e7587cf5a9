#pragma once

#include <span>

#include "distributions/square_partition.hpp"

namespace factosim {

/// Recursive dissection of the unit square: the nodes, fastest first, are cut into the shortest prefix that
/// has a third of their speed and the rest; the rectangle is cut in proportion across its longer side; and so
/// on in both parts. Costs at most 5/4 of the best partition. A node of speed 0 gets an empty rectangle.
/// O(P^2) at worst, where each node is a third of itself and all slower ones; O(P log P) where they are
/// alike.
///
/// Source: Nagamochi, Abe, Discrete Applied Mathematics 155(4), 2007.
[[nodiscard]] SquarePartition nagamochi_abe(std::span<double const> speeds);

}  // namespace factosim
