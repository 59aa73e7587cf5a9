#include "simulator/tasks/graph/transpose.hpp"

#include <numeric>

namespace factosim {

TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  TaskRows out;
  out.begin.assign(begin.size() + 1, 0);  // shifted by one row until the items are placed
  for (TaskId const item : items) ++out.begin[item.index() + 2];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(items.size());
  for (std::uint32_t row = 0; row + 1 < begin.size(); ++row)
    for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i)
      out.items[out.begin[items[i].index() + 1]++] = TaskId{row};
  out.begin.pop_back();
  return out;
}

TaskRows rows_of(std::size_t tasks, std::span<TaskEdge const> edges) {
  TaskRows out;
  out.begin.assign(tasks + 2, 0);  // shifted by one row until the items are placed
  for (TaskEdge const& edge : edges) ++out.begin[edge.from.index() + 2];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(edges.size());
  for (TaskEdge const& edge : edges) out.items[out.begin[edge.from.index() + 1]++] = edge.to;
  out.begin.pop_back();
  return out;
}

}  // namespace factosim
