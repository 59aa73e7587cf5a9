#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "factosim/result.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/node/outcome.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"

namespace factosim {

/// The same tasks on the same nodes by another distribution.
struct OtherDistribution {
  std::string name;  // "1d1d-c"
  Seconds at_least;  // no run is shorter
};

/// A limit that delays tasks.
enum class DelayLimit : std::uint8_t { network, gpu_memory, bus, submission };

/// A run to diagnose.
struct DiagnosedRun {
  TaskGraph const& graph;
  ExecutionPlan const& plan;
  Machine const& machine;
  Topology const& topology;
  std::vector<std::string> const& node_types;  // [nodes] their names
  SimulationOutcome const& outcome;
  Bounds const& bounds;
  /// Returns a distribution with a lower bound, or nothing if none is known. Only called where load balance between
  /// nodes limits the run.
  std::function<std::optional<OtherDistribution>()> other_distribution{};
  /// Of each task, where every node unrolls all of them; 0: not known.
  Seconds submission_cost{};
  /// Returns the makespan of a simulation without a limit; nothing where there is none.
  std::function<std::optional<Seconds>(DelayLimit)> simulated_without{};
};

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
  double runtime = 0;     // tasks were ready and their worker idle, where nothing is copied
  std::size_t tasks = 0;
  double longest_task = 0;
  std::vector<double> by_kernel;  // [kernels] parts of `kernels`
};

/// O(tasks).
[[nodiscard]] ChainTimes chain_times(DiagnosedRun const& run);

/// Names the constraint whose removal would shorten a run most, or none if no removal saves a tenth of the
/// makespan T. What each removal leaves is estimated:
///
/// - Delays (messages, copies, copies of evicted data, submission): the simulation without them, if there is one.
///   Else T less their part of the critical chain (`ChainTimes`), and not below the bounds that stay: without messages
///   the most loaded node D, the longest chain on the owners' workers C, the bound of the problem P; else that of the
///   distribution.
/// - Load balance between nodes, the critical path: T less what max(D, C, P) loses without D, or without C and
///   the chain in P. The area bound of all workers stays.
/// - Policies react to limits: they leave GPUs whose bus is full, and workers without tasks. What a simulation
///   without a limit saves beyond its delays counts for it; where there is none, all that no delay and no bound
///   explains counts for a link or the submission that is in use for 60 % of the makespan. The rest is the assignment
///   and order of tasks on the workers of nodes: imbalance within a node as far as its most loaded worker is above the
///   mean of its workers, scheduling for the rest. But list schedules lose up to one task (Graham, SIAM J. Appl.
///   Math. 17(2), 1969): if no more than the longest task of the chain is lost and workers have less than 16 tasks
///   each, there are too few tasks. So it is with a critical path and less than 4 tasks for each worker.
///
/// O(tasks).
[[nodiscard]] Result::Diagnosis diagnose(DiagnosedRun const& run);

}  // namespace factosim
