#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// A list of tasks for each task, compressed: row t is items[begin[t]] to items[begin[t + 1] - 1].
struct TaskRows {
  std::vector<std::uint32_t> begin;  // [tasks + 1]
  std::vector<TaskId> items;
};

/// Computes lists of predecessors from lists of successors, or the reverse: row a contains b, ascending, for
/// each row b that contains a. O(tasks + items), without scratch memory.
[[nodiscard]] TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items);

struct TaskEdge {
  TaskId from, to;
  bool operator==(TaskEdge const&) const = default;
};

/// Returns the successors of each task, in the order of the edges. O(tasks + edges).
[[nodiscard]] TaskRows rows_of(std::size_t tasks, std::span<TaskEdge const> edges);

}  // namespace factosim
