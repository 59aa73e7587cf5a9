#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/plan/execution_plan.hpp"

namespace factosim {

/// Which tasks of the sequential task flow a node goes through, at one submission cost each.
enum class Unrolling : std::uint8_t {
  whole,   // all tasks, wherever they run (StarPU-MPI)
  pruned,  // those that it runs or that access what it owns (StarPU-MPI when the application prunes)
  own      // those that it runs (StarPU-MPI over SimGrid, which charges no more)
};

[[nodiscard]] std::string_view name_of(Unrolling unrolling);
[[nodiscard]] std::vector<std::string> unrolling_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] Unrolling unrolling_named(std::string_view name);

/// For each task, how many tasks its node has gone through when it has submitted this one, counted from the
/// last barrier: [tasks], from 1. O(tasks + accesses).
[[nodiscard]] std::vector<std::uint32_t> unrolled_tasks(TaskGraph const& graph, ExecutionPlan const& plan,
                                                        Unrolling unrolling);

}  // namespace factosim
