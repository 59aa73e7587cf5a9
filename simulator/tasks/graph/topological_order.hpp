#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

struct TopologicalOrder {
  std::vector<TaskId> tasks;    // each after its predecessors; the smallest possible number first
  std::vector<TaskId> blocked;  // ascending: tasks on a cycle and the tasks that depend on these
};

/// Orders tasks by their dependencies (Kahn's algorithm). The successors of task t are
/// `successors[successor_begin[t]]` to `successors[successor_begin[t + 1] - 1]`.
/// O(edges + tasks log tasks).
[[nodiscard]] TopologicalOrder topological_order(std::span<std::uint32_t const> successor_begin,
                                                 std::span<TaskId const> successors);

}  // namespace factosim
