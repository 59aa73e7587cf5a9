#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "factosim/id.hpp"
#include "simulator/base/core/compressed_rows.hpp"

namespace factosim {

/// A list of tasks for each task.
using TaskRows = CompressedRows<TaskId>;

/// Computes lists of predecessors from lists of successors, or the reverse: row a contains b, ascending, for
/// each row b that contains a. O(tasks + items), without scratch memory.
[[nodiscard]] inline TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  return collect_rows<TaskId>(begin.size() - 1, [&](auto const& use) {
    for (std::uint32_t row = 0; row + 1 < begin.size(); ++row)
      for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i) use(items[i].index(), TaskId{row});
  });
}

struct TaskEdge {
  TaskId from, to;
  bool operator==(TaskEdge const&) const = default;
};

/// Returns the successors of each task, in the order of the edges. O(tasks + edges).
[[nodiscard]] inline TaskRows rows_of(std::size_t tasks, std::span<TaskEdge const> edges) {
  return collect_rows<TaskId>(tasks, [&](auto const& use) {
    for (TaskEdge const& edge : edges) use(edge.from.index(), edge.to);
  });
}

}  // namespace factosim
