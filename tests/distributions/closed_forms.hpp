#pragma once

#include "distributions/block_cyclic.hpp"

namespace factosim::testing {

/// Closed form of lu_tiles_sent for the block-cyclic map of a p x q grid:
/// sum over M = 1 .. nt - 1 of (1 + M) (min(M, p - 1) + min(M, q - 1)).
inline std::uint64_t block_cyclic_lu_tiles_sent(int nt, Grid grid) {
  std::uint64_t sent = 0;
  for (int m = 1; m < nt; ++m)
    sent += static_cast<std::uint64_t>(1 + m) *
            static_cast<std::uint64_t>(std::min(m, grid.p - 1) + std::min(m, grid.q - 1));
  return sent;
}

}  // namespace factosim::testing
