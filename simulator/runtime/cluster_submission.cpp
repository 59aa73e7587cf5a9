// How the cluster submits its tasks: all at once, part by part between barriers, or as many as a node may
// have.

#include <algorithm>

#include "simulator/runtime/cluster.hpp"

namespace factosim {

void ClusterRuntime::submit_next_part() {
  auto const tasks = static_cast<std::uint32_t>(inputs_.graph.task_count());
  auto const& barriers = inputs_.graph.barriers;
  part_begin_ = part_end_;
  part_end_ = next_barrier_ < barriers.size() ? barriers[next_barrier_++] : tasks;
  part_start_ = engine_.now();
  pin_at_submission();
  send_held_outputs();
  if (inputs_.options.max_submitted_tasks > 0) return submit_windows();
  std::vector<TaskId> first;  // without predecessors
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    for_each_in_part(NodeId{n}, [&](TaskId task) {
      record_submission(task, unlimited_submission(task));
      if (predecessors_left_[task.index()] == 0) first.push_back(task);
      next_task_[n] = task.value() + 1;
    });
  std::sort(first.begin(), first.end(), [&](TaskId a, TaskId b) { return number(a) < number(b); });
  for (TaskId const task : first)
    engine_.at(unlimited_submission(task), event(EventKind::task_submitted, task.value()));
  for (std::uint32_t n = 0; n < receiving_.size(); ++n) await_next_receives(NodeId{n});
}

/// The thread that submits a task pins RAM for those of its data that have none yet.
void ClusterRuntime::pin_at_submission() {
  if (std::none_of(nodes_.begin(), nodes_.end(), [](auto& n) { return n->host_memory().at_submission(); }))
    return;
  ExecutionPlan const& plan = inputs_.plan;
  if (pinned_.empty())
    for (Replica const& r : plan.replicas) pinned_.push_back(r.initial);
  std::vector<Seconds> pins(nodes_.size());
  std::vector<Bytes> largest(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n)
    for_each_in_part(NodeId{n}, [&](TaskId task) {
      for (std::uint32_t const replica : plan.replicas_of(inputs_.graph, task)) {
        if (pinned_[replica]) continue;
        pinned_[replica] = true;
        Bytes const size = replica_size(replica);
        pins[n] += nodes_[n]->host_memory().pinning(size);
        largest[n] = std::max(largest[n], size);
      }
    });
  Seconds const unrolled = inputs_.options.submission_cost * static_cast<double>(part_end_ - part_begin_);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    nodes_[n]->host_memory().pins_until(part_start_ + pins[n] + (pins[n].value > 0 ? unrolled : Seconds{0}),
                                        largest[n]);
}

void ClusterRuntime::submit_windows() {
  if (windows_.empty()) {
    submitted_.resize(inputs_.graph.task_count(), false);
    windows_.resize(inputs_.machine.node_count());
  }
  for (std::uint32_t n = 0; n < windows_.size(); ++n) {
    windows_[n].unrolled = 0;
    submit_more(NodeId{n});
  }
}

void ClusterRuntime::send_held_outputs() {
  std::vector<Output> held;
  held.swap(held_outputs_);
  for (Output const& h : held) {
    if (behind_barrier(inputs_.graph.successors[h.first])) {
      held_outputs_.push_back(h);
      continue;
    }
    NodeId const home = inputs_.plan.node_of(h.task);
    new_message(h);
    // Those of one task and handle are one broadcast, and stand together.
    auto const handle = [&](Output const& o) {
      return inputs_.graph.given_to(o.task, inputs_.graph.successors[o.first]);
    };
    if (&h != &held.back() && (&h + 1)->task == h.task && handle(*(&h + 1)) == handle(h) &&
        !behind_barrier(inputs_.graph.successors[(&h + 1)->first]))
      continue;
    arrange(new_messages_, home);
    new_messages_.clear();
    start_sends(home);
  }
}

void ClusterRuntime::submit_more(NodeId node) {
  SubmissionWindow& w = windows_[node.index()];
  if (w.full && w.open > inputs_.options.min_submitted_tasks) return;
  w.full = false;
  w.date = std::max(w.date, engine_.now());
  std::uint32_t& next = next_task_[node.index()];
  while (next < inputs_.plan.first_task[node.index() + 1] && !w.full && !behind_barrier(TaskId{next})) {
    TaskId const task{next++};
    // Tasks of other nodes may be unrolled too.
    w.date = w.date + inputs_.options.submission_cost * static_cast<double>(unrolled(task) - w.unrolled);
    w.unrolled = unrolled(task);
    w.full = ++w.open > inputs_.options.max_submitted_tasks;
    record_submission(task, w.date);
    engine_.at(w.date, event(EventKind::task_submitted, task.value()));
  }
}

void ClusterRuntime::task_submitted(TaskId task) {
  if (!submitted_.empty()) {
    submitted_[task.index()] = true;
    if (!receiving_.empty()) submit_receives(inputs_.plan.node_of(task), task);
  }
  if (predecessors_left_[task.index()] == 0) push(task);
}

bool ClusterRuntime::is_submitted(TaskId task) {
  if (!submitted_.empty()) return submitted_[task.index()];
  if (behind_barrier(task)) return false;
  if (unlimited_submission(task) <= engine_.now()) return true;
  engine_.at(unlimited_submission(task), event(EventKind::task_submitted, task.value()));
  return false;
}

}  // namespace factosim
