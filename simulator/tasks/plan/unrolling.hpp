#pragma once

#include <cstdint>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"

namespace factosim {

/// The tasks of the sequential task flow that a node unrolls, at one submission cost each.
enum class Unrolling : std::uint8_t {
  whole,   // all tasks, wherever they run (StarPU-MPI)
  pruned,  // tasks that it runs or that access handles it owns (StarPU-MPI with a pruning application)
  own      // tasks that it runs (StarPU-MPI over SimGrid, which charges only these)
};

[[nodiscard]] constexpr NamedValues<Unrolling, 3> names_of(Unrolling /*any*/) {
  return {"unrolling",
          {{{Unrolling::whole, "whole"}, {Unrolling::pruned, "pruned"}, {Unrolling::own, "own"}}}};
}

/// Returns for each task the number of tasks that its node has unrolled since the last barrier once it has
/// submitted this one: [tasks], from 1. Not of `whole`, where that is its
/// number. O(tasks + accesses).
[[nodiscard]] std::vector<std::uint32_t> unrolled_tasks(TaskGraph const& graph, ExecutionPlan const& plan,
                                                        Unrolling unrolling);

}  // namespace factosim
