#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factosim/task_graph.hpp"
#include "simulator/runtime/node/task_dates.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// The makespan, in seconds, along the chain of tasks that its end waited for; the parts add up to it.
///
/// The chain is followed backwards from the task that ended last. A task waited for the task before it on its
/// worker, or for what made it ready: its submission, a task of its node, a message. What came last decides; its
/// wait counts from the later of the worker's previous task and the task that it goes back to, with which the
/// chain continues. So a part is what the chain would lose if that kind of wait took no time (up to 1e-7 of each
/// wait, which are single precision).
struct ChainTimes {
  double kernels = 0;
  double messages = 0;    // from the output's arrival in RAM to the delivery on the other node
  double copies = 0;      // of operands before a kernel, and of outputs to RAM before a message
  double submission = 0;  // tasks were not submitted yet
  double runtime = 0;     // tasks were ready and their worker idle, on nodes with one memory
  std::size_t tasks = 0;
  double longest_task = 0;
  std::vector<double> by_kernel;  // [kernels] parts of `kernels`
};

/// O(tasks).
[[nodiscard]] ChainTimes chain_times(TaskGraph const& graph, ExecutionPlan const& plan,
                                     Machine const& machine, std::span<TaskDates const> dates);

}  // namespace factosim
