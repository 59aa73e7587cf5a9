#include "simulator/runtime/policies/recorded.hpp"

#include "factosim/error.hpp"

namespace factosim {

RecordedScheduler::RecordedScheduler(Recording const& recorded, NodeView const& node)
    : recorded_(recorded), node_(node), groups_(node.workers().size()), idle_(groups_.size(), true) {
  while (first_core_ < groups_.size() && node.workers()[first_core_].gpu) ++first_core_;
  if (!recorded.strict) return;
  for (std::uint32_t t = 0; t < recorded.worker.size(); ++t)
    if (node.runs_here(TaskId{t})) groups_[group_of(recorded.worker[t])].order.push_back(t);
  for (Group& group : groups_)
    std::sort(group.order.begin(), group.order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return recorded.position[a] < recorded.position[b]; });
}

Scheduler::Assignment RecordedScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  std::size_t const recorded = recorded_.worker[task.index()], group = group_of(recorded);
  FACTOSIM_EXPECT(recorded < idle_.size(), "a task was recorded on a worker that the node has not");
  groups_[group].ready.emplace(recorded_.position[task.index()], task.value());
  if (!idle_[recorded])
    for (std::size_t w = group; w < idle_.size(); ++w)
      if (idle_[w] && group_of(w) == group) return to_worker(LocalWorker{w});
  return to_worker(LocalWorker{recorded});
}

TaskId RecordedScheduler::pop(LocalWorker worker) {
  Group& group = groups_[group_of(worker.index())];
  bool const idle =
      group.ready.empty() || (recorded_.strict && group.ready.top().second != group.order[group.next]);
  idle_[worker.index()] = idle;
  if (idle) return {};
  TaskId const task{group.ready.top().second};
  group.ready.pop();
  ++group.next;
  return task;
}

}  // namespace factosim
