#pragma once

#include <string>
#include <string_view>

namespace factosim {

/// Returns the label of a column of a sweep's table for axes and legends: "Makespan (s)" of "makespan_s",
/// "Nodes of type chetemi" of "nodes_chetemi", "Scheduler" of "scheduler/type". Units are in parentheses.
[[nodiscard]] std::string column_label(std::string_view column);

}  // namespace factosim
