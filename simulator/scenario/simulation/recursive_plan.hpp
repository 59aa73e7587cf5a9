#pragma once

#include "simulator/runtime/policies/splitter.hpp"
#include "simulator/scenario/simulation/placed_scenario.hpp"
#include "simulator/tasks/plan/execution_plan.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "simulator/tasks/plan/recursive_tasks.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Tasks whose form is decided during the run.
struct PlannedRecursion {
  RecursiveTasks tasks;  // the numbering of the graph of all forms
  SplitterMaker make_splitter;
  // For bounds that hold for all forms: the tasks on parts of tiles alone. On a worker a task takes its own duration, or
  // its operations' share of the fastest kernel on whole tiles there, whichever is less: a coarse task takes at least
  // the sum of its children's shares, so that no form of it is less work nor a shorter chain.
  TaskGraph parts;
  ExecutionPlan plan_of_parts;
  Machine least;
};

/// A plan of all forms of all tasks.
struct RecursivePlan {
  TaskGraph graph;
  ExecutionPlan plan;
  Machine machine;
  PlannedRecursion recursion;
};

/// Returns whether some task of the scenario's application may be split.
[[nodiscard]] bool has_recursive_tasks(PlacedScenario const& scenario);

/// Throws InputError if the scenario has several nodes, a static schedule, the policy heft, or a limit of submitted tasks:
/// what recursive tasks cannot be run with.
void check_recursive(PlacedScenario const& scenario);

/// Plans a scenario with recursive tasks. Throws as `check_recursive`, and if a kernel has no timing.
[[nodiscard]] RecursivePlan plan_recursive(PlacedScenario const& scenario);

/// Places all tasks and data on one node.
[[nodiscard]] ExecutionPlan plan_on_one_node(TaskGraph& graph);

/// Returns all forms of the tasks of a scenario with recursive tasks.
[[nodiscard]] RecursiveProgram recursive_program_of(PlacedScenario const& scenario);

/// Returns the tasks of a recorded run of such a program, whose splits the trace tells.
[[nodiscard]] TakenTasks tasks_of_trace(RecursiveProgram const& program, Trace const& trace);

}  // namespace factosim
