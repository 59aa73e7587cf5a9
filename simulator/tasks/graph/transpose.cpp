#include "simulator/tasks/graph/transpose.hpp"

namespace factosim {

TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  return collect_rows(begin.size() - 1, [&](auto const& use) {
    for (std::uint32_t row = 0; row + 1 < begin.size(); ++row)
      for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i) use(items[i].index(), TaskId{row});
  });
}

TaskRows rows_of(std::size_t tasks, std::span<TaskEdge const> edges) {
  return collect_rows(tasks, [&](auto const& use) {
    for (TaskEdge const& edge : edges) use(edge.from.index(), edge.to);
  });
}

}  // namespace factosim
