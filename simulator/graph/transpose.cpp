#include "simulator/graph/transpose.hpp"

#include <numeric>

namespace factosim {

TaskRows transpose(std::span<std::uint32_t const> begin, std::span<TaskId const> items) {
  TaskRows out;
  out.begin.assign(begin.size() + 1, 0);  // shifted by one row while they are filled
  for (TaskId const item : items) ++out.begin[item.index() + 2];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.items.resize(items.size());
  for (std::uint32_t row = 0; row + 1 < begin.size(); ++row)
    for (std::uint32_t i = begin[row]; i < begin[row + 1]; ++i)
      out.items[out.begin[items[i].index() + 1]++] = TaskId{row};
  out.begin.pop_back();
  return out;
}

}  // namespace factosim
