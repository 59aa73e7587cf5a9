#include "simulator/sched/central.hpp"

#include <algorithm>
#include <cmath>

namespace factosim {

namespace {

/// Order of the heaps: the next task is on top.
bool later(auto const& a, auto const& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.sequence > b.sequence;
}

}  // namespace

CentralScheduler::CentralScheduler(bool by_priority, NodeView const& node)
    : by_priority_(by_priority), node_(node) {}

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

std::uint32_t CentralScheduler::push(TaskId task, std::uint32_t /*pusher*/) {
  auto& heap = lane_of(task).heap;
  heap.push_back({by_priority_ ? node_.priority(task) : 0, sequence_++, task});
  std::push_heap(heap.begin(), heap.end(), later<Entry, Entry>);
  return any_worker;
}

TaskId CentralScheduler::pop(std::uint32_t worker) {
  Lane* best = nullptr;
  for (Lane& lane : lanes_)
    if (lane.runs_on[worker] && !lane.heap.empty() &&
        (best == nullptr || later(best->heap.front(), lane.heap.front())))
      best = &lane;
  if (best == nullptr) return {};
  std::pop_heap(best->heap.begin(), best->heap.end(), later<Entry, Entry>);
  TaskId const task = best->heap.back().task;
  best->heap.pop_back();
  return task;
}

}  // namespace factosim
