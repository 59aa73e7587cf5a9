#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// A column of a native trace whose content is not the expected one.
struct ColumnDifference {
  std::string place{};  // "task.start_s[12]", the first element that differs; "number of task.start_s"
  std::string found{}, expected{};  // what is there
  std::size_t count = 1;            // elements that differ
};

/// Returns the columns of a trace that differ from those of another one, in any bit.
[[nodiscard]] std::vector<ColumnDifference> column_differences(Trace const& found, Trace const& expected);

}  // namespace factosim
