#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// Rows of tasks, one a task, compressed: row t stands from begin[t] to begin[t + 1].
struct TaskRows {
  std::vector<std::uint32_t> begin;  // [tasks + 1]
  std::vector<TaskId> items;
};

/// Lists of predecessors from lists of successors, or the other way round: row a holds b, rising, for each
/// row b that holds a. O(tasks + items), without scratch memory.
[[nodiscard]] TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items);

}  // namespace factosim
