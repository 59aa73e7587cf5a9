#include "simulator/runtime/policies/recorded.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

RecordedScheduler::RecordedScheduler(RecordedOrder const& order, NodeView const& node)
    : order_(order), node_(node), groups_(node.workers().size()), idle_(groups_.size(), true) {
  while (first_core_ < groups_.size() && node.workers()[first_core_].gpu) ++first_core_;
  if (!order.strict) return;
  for (std::uint32_t t = 0; t < order.worker.size(); ++t)
    if (node.runs_here(TaskId{t})) groups_[group_of(order.worker[t])].order.push_back(t);
  for (Group& group : groups_)
    std::sort(group.order.begin(), group.order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return order.position[a] < order.position[b]; });
}

Scheduler::Assignment RecordedScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  std::size_t const recorded = order_.worker[task.index()], group = group_of(recorded);
  FACTOSIM_EXPECT(recorded < idle_.size(), "a task was recorded on a worker that the node has not");
  groups_[group].ready.emplace(order_.position[task.index()], task.value());
  if (!idle_[recorded])
    for (std::size_t w = group; w < idle_.size(); ++w)
      if (idle_[w] && group_of(w) == group) return to_worker(LocalWorker{w});
  return to_worker(LocalWorker{recorded});
}

TaskId RecordedScheduler::pop(LocalWorker worker) {
  Group& group = groups_[group_of(worker.index())];
  bool const idle =
      group.ready.empty() || (order_.strict && group.ready.top().second != group.order[group.next]);
  idle_[worker.index()] = idle;
  if (idle) return {};
  TaskId const task{group.ready.top().second};
  group.ready.pop();
  ++group.next;
  return task;
}

}  // namespace factosim
