#include "simulator/runtime/cluster/submission.hpp"

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
  FACTOSIM_EXPECT(windows_[node.index()].open > 0, "a node runs a task that it has not submitted");
  --windows_[node.index()].open;
  submit(node);
}

Submission::Submission(SimulationInputs const& inputs, TaskFlow const& flow, ReplayOracle const& replay,
                       Engine& engine, RunObserver& observer)
    : inputs_(inputs),
      flow_(flow),
      replay_(replay),
      engine_(engine),
      observer_(observer),
      part_(inputs, flow.task_count()) {
  if (inputs.options.max_submitted_tasks > 0) windows_.emplace(inputs, part_, engine, observer);
}

void Submission::submit_part() {
  if (windows_)
    windows_->begin_part();
  else
    submit_at_once();
}

void Submission::submit_at_once() {
  std::vector<TaskId> ready;
  if (flow_.by_formulas()) {
    for (std::uint32_t t = 0; t < inputs_.graph.task_count(); ++t)
      if (flow_.is_free(TaskId{t})) ready.emplace_back(t);
    observer_.all_submitted(part_.begin(), part_.end(), part_.start(), inputs_.options.submission_cost);
  }
  for (std::uint32_t n = 0; n < inputs_.machine.node_count() && !flow_.by_formulas(); ++n)
    for (TaskId task = part_.next(NodeId{n}); task.valid(); task = part_.next(NodeId{n})) {
      part_.advance(NodeId{n});
      observer_.task_submitted(task, NodeId{n}, date(task));
      if (flow_.is_free(task)) ready.push_back(task);
    }
  auto const number = [&](TaskId task) { return inputs_.graph.submission_number(task); };
  std::sort(ready.begin(), ready.end(), [&](TaskId a, TaskId b) { return number(a) < number(b); });
  for (TaskId const task : ready) engine_.at(date(task), event(EventKind::task_submitted, task.value()));
}

bool Submission::is_submitted(TaskId task) {
  if (windows_) return windows_->is_submitted(task);
  if (part_.behind_barrier(task)) return false;
  if (date(task) <= engine_.now()) return true;
  engine_.at(date(task), event(EventKind::task_submitted, task.value()));
  return false;
}

FlowPart::FlowPart(SimulationInputs const& inputs, std::uint64_t tasks)
    : inputs_(inputs),
      tasks_(static_cast<std::uint32_t>(tasks)),
      next_(inputs.plan.first_task.begin(), inputs.plan.first_task.end() - 1) {
  if (inputs.options.unrolling != Unrolling::whole)
    unrolled_ = unrolled_tasks(inputs.graph, inputs.plan, inputs.options.unrolling);
}

void FlowPart::begin_next(Seconds date) {
  auto const& barriers = inputs_.graph.barriers;
  FACTOSIM_EXPECT(date >= start_, "a barrier is passed before the one before it");
  begin_ = end_;
  end_ = next_barrier_ < barriers.size() ? barriers[next_barrier_++] : tasks_;
  start_ = date;
  FACTOSIM_ENSURE(end_ >= begin_ && end_ <= tasks_, "barriers are in the order of submission");
}

}  // namespace factosim
