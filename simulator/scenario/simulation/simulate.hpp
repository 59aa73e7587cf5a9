#pragma once

#include <functional>
#include <span>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/report/diagnosis/diagnosis.hpp"
#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/tasks/bounds/task_figures.hpp"
#include "simulator/traces/trace/run_trace.hpp"
#include "simulator/traces/trace/series.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Simulates a plan with a seed. `trace` and `series` may be null. At most one simulation over SimGrid in a
/// process.
SimulationOutcome simulate_with_seed(TaskPlan const& plan, std::uint64_t seed, TraceRecords* trace,
                                     ProgressCallback progress, Series* series = nullptr);

/// As above, with that noise in place of the scenario's; its seed is also that of the policy.
SimulationOutcome simulate_with_noise(TaskPlan const& plan, NoiseOptions const& noise,
                                      TraceRecords* trace = nullptr, ProgressCallback progress = {},
                                      Series* series = nullptr);

/// Simulates a plan with its scenario's seed. With contracts on, throws ContractError if the makespan beats a
/// bound; not with noise, since the bounds are those of the mean durations, and not for a recorded run, whose
/// messages and pauses may be shorter than those of its platform. `removes_limits` as of `diagnosis_of`.
Result simulate(TaskPlan const& plan, TraceRecords* trace = nullptr, ProgressCallback progress = {},
                Series* series = nullptr, bool removes_limits = true);

/// Returns what limits a simulated run. With `removes_limits`, delays are removed in further simulations where these
/// take about a second each.
[[nodiscard]] Result::Diagnosis diagnosis_of(TaskPlan const& plan, SimulationOutcome const& outcome,
                                             Bounds const& bounds, bool removes_limits);

/// Returns the records of one simulation, with names, as a trace.
[[nodiscard]] Trace run_trace(TaskPlan const& plan, TraceRecords const& records);

/// Returns the result of a plan whose makespan was estimated. Leaves out what only dates tell.
[[nodiscard]] Result estimated_result(TaskPlan const& plan, TaskFigures figures, Seconds makespan,
                                      Result::Detail detail, Result::Cost const& cost);

/// Returns what follows from the tasks of a plan with the means of its machine, for the network and broadcasts of its
/// scenario.
[[nodiscard]] TaskFigures figures_of(TaskPlan const& plan);
[[nodiscard]] Bounds bounds_of(TaskPlan const& plan);

/// Returns the rate, in GFlop/s, of the plan's application with that makespan.
[[nodiscard]] double gflops(TaskPlan const& plan, Seconds makespan);

/// Simulates the plan with each noise in a process of its own, since SimGrid keeps static state, and returns the makespans
/// in that order. SimGrid must not have been used in this process before. `jobs`: simulations at once, if memory allows; 0:
/// as many as cores. Calls `done` after each.
[[nodiscard]] std::vector<Seconds> simulate_in_children(TaskPlan const& plan,
                                                        std::span<NoiseOptions const> noises, int jobs,
                                                        std::function<void()> const& done = {});

}  // namespace factosim
