#pragma once

#include <vector>

#include "simulator/runtime/cluster/flow_part.hpp"
#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/node/run_observer.hpp"

namespace factosim {

/// Limits the submitted tasks of each node that have not run: a node with more than `max_submitted_tasks`
/// stops its submission and resumes it at `min_submitted_tasks`. Source: StarPU 1.4 `core/task.c`.
class SubmissionWindows {
 public:
  SubmissionWindows(SimulationInputs const& inputs, FlowPart& part, Engine& engine, RunObserver& observer);

  /// Begins to submit a part of the flow, whose tasks are unrolled from its start.
  void begin_part();
  /// Schedules the submission of as many tasks of the node as its window admits.
  void submit(NodeId node);
  void task_submitted(TaskId task) { submitted_[task.index()] = true; }
  /// A task of the node has run: its submission may continue.
  void task_ran(NodeId node);
  [[nodiscard]] bool is_submitted(TaskId task) const { return submitted_[task.index()]; }

 private:
  struct Window {
    std::uint32_t unrolled = 0;  // tasks that the node has unrolled since the last barrier
    int open = 0;                // submitted tasks that have not run
    bool full = false;           // submission is stopped until enough open tasks have run
    Seconds date;                // of the last submission
  };

  SimulationInputs const& inputs_;
  FlowPart& part_;
  Engine& engine_;
  RunObserver& observer_;
  std::vector<bool> submitted_;  // [tasks]
  std::vector<Window> windows_;  // [nodes]
};

}  // namespace factosim
