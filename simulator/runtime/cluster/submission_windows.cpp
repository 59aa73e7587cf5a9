#include "simulator/runtime/cluster/submission_windows.hpp"

#include <algorithm>

namespace factosim {

SubmissionWindows::SubmissionWindows(SimulationInputs const& inputs, FlowPart& part, Engine& engine,
                                     RunObserver& observer)
    : inputs_(inputs),
      part_(part),
      engine_(engine),
      observer_(observer),
      submitted_(inputs.graph.task_count(), false),
      windows_(inputs.machine.node_count()) {}

void SubmissionWindows::begin_part() {
  for (std::uint32_t n = 0; n < windows_.size(); ++n) {
    windows_[n].unrolled = 0;
    submit(NodeId{n});
  }
}

void SubmissionWindows::submit(NodeId node) {
  Window& w = windows_[node.index()];
  if (w.full && w.open > inputs_.options.min_submitted_tasks) return;
  w.full = false;
  w.date = std::max(w.date, engine_.now());
  for (TaskId task = part_.next(node); task.valid() && !w.full; task = part_.next(node)) {
    part_.advance(node);
    // The node may unroll tasks of other nodes in between.
    std::uint32_t const unrolled = part_.unrolled(task);
    w.date = w.date + inputs_.options.submission_cost * static_cast<double>(unrolled - w.unrolled);
    w.unrolled = unrolled;
    w.full = ++w.open > inputs_.options.max_submitted_tasks;
    observer_.task_submitted(task, node, w.date);
    engine_.at(w.date, event(EventKind::task_submitted, task.value()));
  }
}

void SubmissionWindows::task_ran(NodeId node) {
  --windows_[node.index()].open;
  submit(node);
}

}  // namespace factosim
