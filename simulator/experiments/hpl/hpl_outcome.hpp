#pragma once

#include <cstdint>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// The course of a simulated factorization, without the back substitution.
struct HplOutcome {
  struct Process {            // seconds summed over the steps
    double updating = 0;      // solves and updates
    double factoring = 0;     // panels, with the messages and waits within their column
    double swapping = 0;      // swaps of rows and broadcast of U: copies, messages and waits
    double broadcasting = 0;  // receiving and sending panels, with the waits for them
    double end = 0;           // date of its last update
  };
  Seconds makespan;
  std::vector<Process> processes;  // [processes], as HplSystem numbers them
  std::uint64_t messages = 0;      // simulated as such; 0 of steps
};

}  // namespace factosim
