#pragma once

#include <vector>

#include "simulator/balance/block_time.hpp"

namespace factosim {

/// One worker of the system: it starts its block at `free_at`.
struct EqualTimeWorker {
  BlockTime const* time = nullptr;
  double free_at = 0;  // seconds, from any origin
};

struct EqualTimeSolution {
  std::vector<double> size;  // [workers]; 0: it could not end even the smallest block in time
  double end = 0;            // seconds: the common end of all blocks
  double residual = 0;       // largest relative violation of an equation
  bool by_ipopt = false;     // else by bracketing
};

}  // namespace factosim
