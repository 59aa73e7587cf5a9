#pragma once

#include "simulator/runtime/engine/network_factory.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

/// Returns true, and prints that the test skips, if factosim was built without SimGrid.
inline bool without_simgrid() {
  if (FACTOSIM_SIMGRID != 0) return false;
  MESSAGE("skipped: built without SimGrid");
  return true;
}

}  // namespace factosim::testing
