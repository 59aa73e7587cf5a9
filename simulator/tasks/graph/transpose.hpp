#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "factosim/id.hpp"

namespace factosim {

/// A list of tasks for each task, compressed: row t is items[begin[t]] to items[begin[t + 1] - 1].
struct TaskRows {
  std::vector<std::uint32_t> begin;  // [tasks + 1]
  std::vector<TaskId> items;
};

/// Collects the items of some rows: `for_each(use)` calls `use(row, item)` for each item, and the same a second time. The
/// items of a row are in the order of the calls. O(rows + items), without scratch memory.
template <class ForEach>
[[nodiscard]] TaskRows collect_rows(std::size_t rows, ForEach const& for_each) {
  TaskRows out;
  out.begin.assign(rows + 2, 0);  // shifted by one row until the items are placed
  for_each([&](std::size_t row, TaskId /*item*/) { ++out.begin[row + 2]; });
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(out.begin.back());
  for_each([&](std::size_t row, TaskId item) { out.items[out.begin[row + 1]++] = item; });
  out.begin.pop_back();
  return out;
}

/// Computes lists of predecessors from lists of successors, or the reverse: row a contains b, ascending, for
/// each row b that contains a. O(tasks + items), without scratch memory.
[[nodiscard]] inline TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  return collect_rows(begin.size() - 1, [&](auto const& use) {
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
  return collect_rows(tasks, [&](auto const& use) {
    for (TaskEdge const& edge : edges) use(edge.from.index(), edge.to);
  });
}

}  // namespace factosim
