#pragma once

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// What differs between two runs besides the dates of their tasks, as far as their traces show.
struct TraceDifferences {
  bool map = false;         // other tasks on a node, or another number of nodes
  bool workers = false;     // another number of cores or GPUs on a node
  bool priorities = false;  // of the same tasks
  bool network = false;     // the fastest message of a size between two nodes
  bool bus = false;         // the fastest copy of a size between two memories
  bool memory = false;      // less was used of a GPU's memory, and more was copied into it
  bool submission = false;  // the time between two submissions
};

/// Compares two traces. Network and bus differ if the median ratio of these fastest transfers does, and the
/// fastest of a size between any ends, by 10 %; submission if its median gap differs by a factor of 1.5 and
/// for all tasks by 2 % of `makespan_s`. What a trace does not record does not differ. O(n log n).
[[nodiscard]] TraceDifferences trace_differences(Trace const& a, Trace const& b, double makespan_s);

}  // namespace factosim
