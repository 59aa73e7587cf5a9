#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The tasks of the sequential task flow that a node unrolls, at one submission cost each.
enum class Unrolling : std::uint8_t {
  whole,   // all tasks, wherever they run (StarPU-MPI)
  pruned,  // tasks that it runs or that access handles it owns (StarPU-MPI with a pruning application)
  own      // tasks that it runs (StarPU-MPI over SimGrid, which charges only these)
};

[[nodiscard]] std::string_view name_of(Unrolling unrolling);
[[nodiscard]] std::vector<std::string> unrolling_names();
/// Throws std::out_of_range for a name that is not listed.
[[nodiscard]] Unrolling unrolling_named(std::string_view name);

/// Returns for each task the number of tasks that its node has unrolled since the last barrier once it has
/// submitted this one: [tasks], from 1. O(tasks + accesses).
[[nodiscard]] std::vector<std::uint32_t> unrolled_tasks(TaskGraph const& graph, ExecutionPlan const& plan,
                                                        Unrolling unrolling);

}  // namespace factosim
