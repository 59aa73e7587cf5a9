#include "simulator/runtime/policies/central.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

CentralScheduler::CentralScheduler(Order order, NodeView const& node) : order_(order), node_(node) {}

CentralScheduler::Lane& CentralScheduler::lane_of(TaskId task) {
  auto const durations = node_.durations(task);
  auto const same = [&](Lane const& lane) {
    for (std::size_t w = 0; w < durations.size(); ++w)
      if (lane.runs_on[w] == std::isinf(durations[w])) return false;
    return true;
  };
  auto const found = std::find_if(lanes_.begin(), lanes_.end(), same);
  if (found != lanes_.end()) return *found;
  Lane lane;
  for (double const duration : durations) lane.runs_on.push_back(!std::isinf(duration));
  return lanes_.emplace_back(std::move(lane));
}

Scheduler::Assignment CentralScheduler::push(TaskId task, LocalWorker /*pusher*/) {
  std::int32_t const priority = order_ == Order::priority ? node_.priority(task) : 0;
  lane_of(task).tasks.push({priority, next_ticket_++, task});
  return to_first_idle();
}

TaskId CentralScheduler::pop(LocalWorker worker) {
  Lane* best = nullptr;
  for (Lane& lane : lanes_)
    if (lane.runs_on[worker.index()] && !lane.tasks.empty() &&
        (best == nullptr || PriorityFifo<TaskId>::after(best->tasks.top(), lane.tasks.top())))
      best = &lane;
  return best == nullptr ? TaskId{} : best->tasks.pop().value;
}

}  // namespace factosim
