#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "factosim/scheduler.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"

namespace factosim {

/// The kind of worker that a task is kept to.
enum class WorkerKind : std::uint8_t { any, gpu, core };

/// Returns a maker of the policy that `options` name, which takes tasks to be unable to run on the other kind of workers:
/// `kinds` [tasks]. Tasks that only the other kind can run are not kept from it.
[[nodiscard]] SchedulerMaker guided(SchedulerOptions options,
                                    std::shared_ptr<std::vector<WorkerKind> const> kinds);

/// Returns how much later each task could end without making the longest chain of tasks longer, if each took as long as on the
/// fastest worker of its node, in seconds: [tasks].
[[nodiscard]] std::vector<double> slacks(TaskPlan const& plan);

/// Which tasks are kept to cores: of each kernel that cores and GPUs can run, a share of its tasks, those of the largest slack
/// first.
struct CoreShares {
  std::vector<double> share;  // [kernels] 0 .. 1
  std::vector<double> slack;  // [tasks] seconds; perturbed by a search
};

[[nodiscard]] std::vector<WorkerKind> kinds_of(CoreShares const& shares, TaskPlan const& plan);

/// Returns the kernels that both kinds of workers of some node can run.
[[nodiscard]] std::vector<std::size_t> kernels_of_both_kinds(TaskPlan const& plan);

}  // namespace factosim
